import { type KubernetesApi, listObjects } from "@svc/kubernetes";
import type { ConfigAsker, UnreadableConfig } from "../admission/admission-context.ts";
import type { ConfigName } from "../flags/parse-values.ts";
import { SingleFlight } from "../image/single-flight.ts";
import { CONFIG_PAGE, GROUP, VERSION } from "../svc-config/definition.ts";
import type { SvcConfig } from "../svc-config/svc-config.ts";
import type { ConfigWatch } from "../svc-config/watch-configs.ts";
import { type WatchedConfig, watchedConfig } from "../svc-config/watched-config.ts";

/** The SvcConfigs that pods are judged by. */
export interface ConfigStore {
  readonly configsOf: (
    namespace: string,
    asker: ConfigAsker,
  ) => Promise<readonly (SvcConfig | UnreadableConfig)[]>;
  /** Undefined if it is not there. */
  readonly find: (name: ConfigName) => SvcConfig | UnreadableConfig | undefined;
}

/** Answers from the watch, and asks the API server if the watch may be too old. */
export function configStore(
  api: KubernetesApi,
  watch: Pick<ConfigWatch, "isSynced" | "inNamespace" | "get">,
): ConfigStore {
  const flights = new SingleFlight<readonly WatchedConfig[]>();
  return {
    configsOf: async (namespace, asker) => {
      const remembered = watch.inNamespace(namespace);
      const configs =
        watch.isSynced() && isEnough(remembered, asker)
          ? remembered
          : await flights.run(namespace, () => listNamespace(api, namespace));
      return configs.map(knownConfig);
    },
    find: ({ namespace, name }) => {
      const config = watch.get(namespace, name);
      return config && knownConfig(config);
    },
  };
}

/**
 * A SvcConfig and a pod that names it are often created in one breath; the watch comes a moment
 * later.
 */
function isEnough(remembered: readonly WatchedConfig[], { named }: ConfigAsker): boolean {
  return named === undefined || remembered.some(({ name }) => name === named);
}

async function listNamespace(
  api: KubernetesApi,
  namespace: string,
): Promise<readonly WatchedConfig[]> {
  const path = `/apis/${GROUP}/${VERSION}/namespaces/${encodeURIComponent(namespace)}/svcconfigs`;
  const operation = `list the SvcConfigs of namespace "${namespace}"`;
  const { items } = await listObjects(api, { path, operation, page: CONFIG_PAGE });
  return items.flatMap((item) => watchedConfig(item) ?? []);
}

function knownConfig({ namespace, name, parsed }: WatchedConfig): SvcConfig | UnreadableConfig {
  return parsed.ok ? parsed.config : { namespace, name, problems: parsed.problems };
}
