import { type KubernetesApi, listObjects, type ObjectWatch, watchObjects } from "@svc/kubernetes";
import type { ConfigAsker, UnreadableConfig } from "../admission/admission-world.ts";
import type { ConfigName } from "../flags/parse-config-name.ts";
import { SingleFlight } from "../image/single-flight.ts";
import { CONFIG_PAGE, GROUP, VERSION } from "../svc-config/definition.ts";
import { parseSvcConfig } from "../svc-config/parse-svc-config.ts";
import type { SvcConfig } from "../svc-config/svc-config.ts";

/** The SvcConfigs of a cluster. */
export interface ConfigStore {
  readonly isSynced: () => boolean;
  readonly configsOf: (
    namespace: string,
    asker: ConfigAsker,
  ) => Promise<readonly SvcConfig[] | UnreadableConfig>;
  /** Undefined where it is not there. */
  readonly find: (name: ConfigName) => SvcConfig | UnreadableConfig | undefined;
  readonly count: () => number;
  /** When the API server was last heard of them, of `performance.now()`. */
  readonly heardMs: () => number | undefined;
  readonly stop: () => Promise<void>;
}

/** What a store tells of. */
export interface ConfigStoreEvents {
  readonly onFailure?: (error: unknown) => void;
  /** An object that is no SvcConfig although the API server has taken it; its namespace is not decided for. */
  readonly onUnreadable?: (name: ConfigName, problems: readonly string[]) => void;
}

const COLLECTION = `/apis/${GROUP}/${VERSION}`;

/** Keeps the SvcConfigs of all namespaces, as the API server had them last. */
export function configStore(api: KubernetesApi, events: ConfigStoreEvents = {}): ConfigStore {
  const { onFailure, onUnreadable } = events;
  const watch = watchObjects<KeptConfig>(api, {
    path: `${COLLECTION}/svcconfigs`,
    operation: "watch SvcConfigs",
    page: CONFIG_PAGE,
    parse: (object) => {
      const kept = keptOf(object);
      if ("unreadable" in kept) onUnreadable?.(nameOf(object), kept.problems);
      return kept;
    },
    ...(onFailure && { onFailure }),
  });
  const flights = new SingleFlight<readonly KeptConfig[]>();
  return {
    isSynced: watch.isSynced,
    configsOf: async (namespace, asker) => {
      const remembered = watch.inNamespace(namespace);
      const kept = isEnough(watch, remembered, asker)
        ? remembered
        : await flights.run(namespace, () => listNamespace(api, namespace));
      return kept.find(isUnreadable) ?? kept.filter(isReadable);
    },
    find: ({ namespace, name }) => watch.get(namespace, name),
    count: () => watch.all().length,
    heardMs: watch.heardMs,
    stop: watch.stop,
  };
}

type KeptConfig = SvcConfig | UnreadableConfig;

function keptOf(object: unknown): KeptConfig {
  const parsed = parseSvcConfig(object);
  if (parsed.ok) return parsed.config;
  const { namespace, name } = nameOf(object);
  return { unreadable: `${namespace}/${name}`, problems: parsed.problems };
}

function nameOf(object: unknown): ConfigName {
  const { namespace, name } = Object(Object(object).metadata);
  return { namespace: String(namespace), name: String(name) };
}

function isReadable(kept: KeptConfig): kept is SvcConfig {
  return !("unreadable" in kept);
}

function isUnreadable(kept: KeptConfig): kept is UnreadableConfig {
  return "unreadable" in kept;
}

/** A SvcConfig and a pod that names it are often created in one breath; the watch comes a moment later. */
function isEnough(
  watch: ObjectWatch<KeptConfig>,
  remembered: readonly KeptConfig[],
  { named }: ConfigAsker,
): boolean {
  return (
    watch.isSynced() &&
    (named === undefined || remembered.some((kept) => isReadable(kept) && kept.name === named))
  );
}

async function listNamespace(
  api: KubernetesApi,
  namespace: string,
): Promise<readonly KeptConfig[]> {
  const path = `${COLLECTION}/namespaces/${encodeURIComponent(namespace)}/svcconfigs`;
  const operation = `list the SvcConfigs of namespace "${namespace}"`;
  const { items } = await listObjects(api, { path, operation, page: CONFIG_PAGE });
  return items.map(keptOf);
}
