import { type KubernetesApi, KubernetesError, type ObjectWatch } from "@svc/kubernetes";
import { type Log, pause } from "@svc/logging";
import type { OperatorSettings } from "../inject/operator-settings.ts";
import { GROUP, VERSION } from "../svc-config/definition.ts";
import type { ConfigWatch } from "../svc-config/watch-configs.ts";
import type { WatchedConfig } from "../svc-config/watched-config.ts";
import { unrepeatedLog } from "../unrepeated-log.ts";
import { eventOf, eventSender } from "./config-events.ts";
import { followPods, type PodFollower } from "./follow-pods.ts";
import { type ConfigStatus, readStatus, statusOf } from "./status-of.ts";

/** The leader's tools for SvcConfigs. */
export interface StatusKeeperOptions {
  readonly api: KubernetesApi;
  readonly configs: ConfigWatch;
  readonly operator: OperatorSettings;
  readonly log: Log;
  /** The name of this process, for its events. */
  readonly instance: string;
  /** Whether the pods of each are counted; by default true. */
  readonly countsPods?: boolean;
  /**
   * How often counts of pods are written, and everything is judged again, in milliseconds. By
   * default a minute.
   */
  readonly countMs?: number;
}

const COUNT_MS = 60_000;
/** Many changes come together, as when a chart is installed. */
const SETTLE_MS = 500;
/** At a time: the same process answers the API server about pods. */
const LONGEST_MS = 5;

/**
 * Keeps the status of every SvcConfig, and tells by events when one cannot be used any more or
 * again, until the signal is aborted; for the leader only. Never rejects.
 */
export async function keepStatuses(
  options: StatusKeeperOptions,
  signal: AbortSignal,
): Promise<void> {
  const { api, operator, configs: watch, log, countsPods = true, countMs = COUNT_MS } = options;
  const trouble = unrepeatedLog(log);
  const failed = (error: unknown) =>
    trouble.say(
      "warn",
      error instanceof Error ? error.message : "look after SvcConfigs: it failed",
    );
  let changed = new AbortController();
  let countedMs = Number.NEGATIVE_INFINITY;
  // Held while there is a SvcConfig: until then there is nothing to count for.
  let pods: PodFollower | undefined;
  const onListed = () => {
    countedMs = Number.NEGATIVE_INFINITY;
    changed.abort();
  };
  const unsubscribe = watch.subscribe(() => changed.abort());
  const keeper = statusKeeper(options, { watch, failed });
  while (!signal.aborted) {
    if (performance.now() - countedMs >= countMs && watch.all().length > 0) {
      countedMs = performance.now();
      if (countsPods) pods ??= followPods(api, operator.prefix, { onListed, onFailure: failed });
      keeper.count(pods?.counts());
    }
    changed = new AbortController();
    await keeper.write(signal).catch(failed);
    const leftMs = Math.max(countedMs + countMs - performance.now(), SETTLE_MS);
    await pause(watch.all().length > 0 ? leftMs : countMs, signal, changed.signal);
    await pause(SETTLE_MS, signal);
  }
  unsubscribe();
  await pods?.stop();
}

interface StatusKeeper {
  /** Takes over how many pods each has, by `namespace/name`; undefined if that is not known. */
  readonly count: (counts: ReadonlyMap<string, number> | undefined) => void;
  /** Writes every status that is not as it should be. @throws KubernetesError */
  readonly write: (signal: AbortSignal) => Promise<void>;
}

interface KeeperParts {
  readonly watch: ObjectWatch<WatchedConfig>;
  /** Receives errors that concern one SvcConfig only. */
  readonly failed: (error: unknown) => void;
}

function statusKeeper(options: StatusKeeperOptions, { watch, failed }: KeeperParts): StatusKeeper {
  const { api, operator, instance } = options;
  const events = eventSender({ api, instance });
  const own = ownWrites();
  let counts: ReadonlyMap<string, number> | undefined;
  const countOf = ({ namespace, name }: WatchedConfig) =>
    counts === undefined ? undefined : (counts.get(`${namespace}/${name}`) ?? 0);
  const writeOne = async (config: WatchedConfig, status: ConfigStatus): Promise<void> => {
    const before = readStatus(config.status);
    if (!(await writeStatus(api, config, status, failed))) return;
    own.add(config, status);
    const event = eventOf(before, status);
    if (event !== undefined) await events.send(config, event).catch(failed);
  };
  return {
    count: (found) => {
      counts = found;
    },
    write: async (signal) => {
      const configs = watch.all().map(own.withStatus);
      own.forgetOthers(configs);
      const groups = Map.groupBy(configs, ({ namespace }) => namespace);
      let sinceMs = performance.now();
      for (const config of configs) {
        if (signal.aborted) return;
        if (performance.now() - sinceMs > LONGEST_MS) {
          await Bun.sleep(0);
          sinceMs = performance.now();
        }
        const inNamespace = groups.get(config.namespace) ?? [];
        const context = { operator, inNamespace, nowMs: Date.now() };
        const status = statusOf(config, context, countOf(config));
        if (!Bun.deepEquals(status, config.status)) await writeOne(config, status);
      }
    },
  };
}

/** Written statuses that the watch has perhaps not seen yet. */
function ownWrites() {
  const written = new Map<string, { readonly over: string; readonly status: ConfigStatus }>();
  return {
    add: ({ uid, resourceVersion }: WatchedConfig, status: ConfigStatus): void => {
      written.set(uid, { over: resourceVersion, status });
    },
    withStatus: (config: WatchedConfig): WatchedConfig => {
      const own = written.get(config.uid);
      if (own?.over === config.resourceVersion) return { ...config, status: own.status };
      written.delete(config.uid);
      return config;
    },
    /** Those that are gone would be remembered for as long as this process leads. */
    forgetOthers: (configs: readonly WatchedConfig[]): void => {
      const present = new Set(configs.map(({ uid }) => uid));
      for (const uid of written.keys()) if (!present.has(uid)) written.delete(uid);
    },
  };
}

/**
 * False if it is not written for a reason of this one's own; of one that is gone there is nothing
 * to say.
 * @throws KubernetesError if the others would fare the same
 */
async function writeStatus(
  api: KubernetesApi,
  { namespace, name }: WatchedConfig,
  status: ConfigStatus,
  failed: (error: unknown) => void,
): Promise<boolean> {
  const config = `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/svcconfigs/${name}`;
  const path = `${config}/status?fieldManager=svc-operator`;
  const operation = `write the status of SvcConfig "${name}" in namespace "${namespace}"`;
  try {
    await api.ask({ method: "PATCH", path, body: { status }, operation });
    return true;
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.code !== "KUBERNETES_REFUSED") throw error;
    if (error.status !== 404) failed(error);
    return false;
  }
}
