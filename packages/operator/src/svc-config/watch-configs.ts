import { type KubernetesApi, type ObjectWatch, watchObjects } from "@svc/kubernetes";
import { CONFIG_PAGE, GROUP, VERSION } from "./definition.ts";
import { leftOutConfig, type WatchedConfig, watchedConfig } from "./watched-config.ts";

/** The SvcConfigs of a cluster, as the API server had them last. */
export interface ConfigWatch extends ObjectWatch<WatchedConfig> {
  /** Calls a function after each change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
}

/**
 * The most bytes of all SvcConfigs of a namespace: some hundreds of an ordinary size, and not the
 * whole memory.
 */
const NAMESPACE_BYTES = 2 * 1024 * 1024;
const TOO_MUCH =
  "the SvcConfigs of this namespace are together larger than 2 MiB: this one is not read";

/** Watches them; `onFailure` gets a list or watch that failed and is tried again. */
export function watchConfigs(
  api: KubernetesApi,
  onFailure: (error: unknown) => void = () => undefined,
): ConfigWatch {
  const listeners = new Set<() => void>();
  const watch = watchObjects<WatchedConfig>(api, {
    path: `/apis/${GROUP}/${VERSION}/svcconfigs`,
    operation: "watch SvcConfigs",
    page: CONFIG_PAGE,
    parse: watchedConfig,
    bounds: {
      mostBytes: NAMESPACE_BYTES,
      bytesOf: (object) => JSON.stringify([Object(object).spec, Object(object).status]).length,
      instead: (object) => leftOutConfig(object, TOO_MUCH),
    },
    onChange: () => {
      for (const listener of listeners) listener();
    },
    onFailure,
  });
  return {
    ...watch,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
