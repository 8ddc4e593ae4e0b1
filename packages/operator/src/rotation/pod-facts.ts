import { countIn, field, listIn, textIn, timeIn } from "./fields.ts";

/** The facts about a pod that its permit depends on. Times are milliseconds since the epoch. */
export interface PodFacts {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Its controller, for example a ReplicaSet; undefined if it has none. */
  readonly owner: OwnerReference | undefined;
  /** True if its condition Ready is. */
  readonly isReady: boolean;
  /** Since when the condition has that status. */
  readonly readySinceMs: number | undefined;
  /** When its youngest container was started. */
  readonly startedMs: number | undefined;
  /** True if it ends, or has ended. */
  readonly isOver: boolean;
  /** Why a container of it does not run, for example `CrashLoopBackOff`. */
  readonly trouble: string | undefined;
  /** How long the kubelet needs to find that a container is not ready. */
  readonly probeMs: number;
  /** The share that its annotation allows to be away at once, for example `1` or `25%`. */
  readonly maxUnavailable: string | undefined;
}

/** A reference to an object that owns another one. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The kubelet's defaults for a probe. */
const [PERIOD_SECONDS, TIMEOUT_SECONDS, FAILURES] = [10, 1, 3];
/** The kubelet's and the API server's own delays. */
const SLACK_MS = 2000;

/** The name of the annotation, behind the prefix. */
export const MAX_UNAVAILABLE = "rotation-max-unavailable";

/** Reads a pod. Missing and malformed fields are absent. */
export function podFacts(pod: unknown, prefix: string): PodFacts {
  const ready = listIn(pod, "status", "conditions").find(
    (condition) => textIn(condition, "type") === "Ready",
  );
  const statuses = listIn(pod, "status", "containerStatuses");
  const started = statuses.flatMap(
    (status) => timeIn(status, "state", "running", "startedAt") ?? [],
  );
  const phase = textIn(pod, "status", "phase");
  return {
    name: textIn(pod, "metadata", "name") ?? "",
    uid: textIn(pod, "metadata", "uid") ?? "",
    labels: textsOf(field(pod, "metadata", "labels")),
    owner: controllerOf(pod),
    isReady: textIn(ready, "status") === "True",
    readySinceMs: timeIn(ready, "lastTransitionTime"),
    startedMs: started.length === 0 ? undefined : Math.max(...started),
    isOver:
      field(pod, "metadata", "deletionTimestamp") !== undefined ||
      phase === "Succeeded" ||
      phase === "Failed",
    trouble: statuses
      .map((status) => textIn(status, "state", "waiting", "reason"))
      .find((reason) => reason !== undefined && /BackOff|Error/.test(reason)),
    probeMs: Math.max(0, ...listIn(pod, "spec", "containers").map(probeMsOf)),
    maxUnavailable: textIn(pod, "metadata", "annotations", `${prefix}/${MAX_UNAVAILABLE}`),
  };
}

/** The owner that controls an object; undefined if none does. */
export function controllerOf(object: unknown): OwnerReference | undefined {
  const owner = listIn(object, "metadata", "ownerReferences").find(
    (reference) => field(reference, "controller") === true,
  );
  const [apiVersion, kind] = [textIn(owner, "apiVersion"), textIn(owner, "kind")];
  const [name, uid] = [textIn(owner, "name"), textIn(owner, "uid")];
  if (apiVersion === undefined || kind === undefined) return undefined;
  return name === undefined || uid === undefined ? undefined : { apiVersion, kind, name, uid };
}

/** Texts by name, as labels are. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(Object(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function probeMsOf(container: unknown): number {
  const probe = field(container, "readinessProbe");
  if (probe === undefined || probe === null) return 0;
  const period = countIn(probe, ["periodSeconds"], PERIOD_SECONDS);
  const timeout = countIn(probe, ["timeoutSeconds"], TIMEOUT_SECONDS);
  const failures = countIn(probe, ["failureThreshold"], FAILURES);
  return (period * failures + timeout) * 1000 + SLACK_MS;
}
