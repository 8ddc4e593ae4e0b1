import { countIn, field, textIn } from "./fields.ts";

/** How many pods a workload wants and has, and how many may be away at once. */
export interface WorkloadFacts {
  readonly wanted: number;
  /** Those that are ready, for as long as its minReadySeconds say. */
  readonly available: number;
  readonly maxUnavailable: number;
  /** How long one pod may take to be ready again, in milliseconds. */
  readonly deadlineMs: number;
}

/** Kinds whose status says how many of their pods are available. */
export type WorkloadKind = "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet";

/** The default of a Deployment's progressDeadlineSeconds. */
const DEADLINE_SECONDS = 600;

/**
 * Reads a workload of apps/v1.
 *
 * @param asked the pod's annotation, which takes precedence over the workload's own strategy
 */
export function workloadFacts(
  kind: WorkloadKind,
  object: unknown,
  asked: string | undefined,
): WorkloadFacts {
  const { wanted, available } = countsOf(kind, object);
  const own = share(asked, wanted) ?? share(strategyOf(kind, object), wanted);
  return {
    wanted,
    available,
    // A pod cannot be replaced beside itself: fewer than one would be never.
    maxUnavailable: Math.max(1, own ?? 1),
    deadlineMs: countIn(object, ["spec", "progressDeadlineSeconds"], DEADLINE_SECONDS) * 1000,
  };
}

/** A workload whose pods nothing counts: its pods go one after the other, or as the annotation says. */
export function uncountedFacts(asked: string | undefined): WorkloadFacts {
  return {
    ...{ wanted: 0, available: 0, deadlineMs: DEADLINE_SECONDS * 1000 },
    maxUnavailable: Math.max(1, share(asked, 0) ?? 1),
  };
}

function countsOf(kind: WorkloadKind, object: unknown): { wanted: number; available: number } {
  switch (kind) {
    case "DaemonSet":
      return {
        wanted: countIn(object, ["status", "desiredNumberScheduled"], 0),
        available: countIn(object, ["status", "numberAvailable"], 0),
      };
    case "Deployment":
    case "ReplicaSet":
    case "StatefulSet":
      return {
        wanted: countIn(object, ["spec", "replicas"], 1),
        available: countIn(object, ["status", "availableReplicas"], 0),
      };
  }
}

/** The maxUnavailable of a rolling update; of another strategy, none. */
function strategyOf(kind: WorkloadKind, object: unknown): unknown {
  switch (kind) {
    case "Deployment": {
      const strategy = field(object, "spec", "strategy");
      if (textIn(strategy, "type") === "Recreate") return undefined;
      // The API server writes the default, 25%, into the object.
      return field(strategy, "rollingUpdate", "maxUnavailable");
    }
    case "StatefulSet":
    case "DaemonSet":
      return field(object, "spec", "updateStrategy", "rollingUpdate", "maxUnavailable");
    case "ReplicaSet":
      return undefined;
  }
}

/** A number of pods, or a percentage of them, rounded down as a Deployment's controller does. */
function share(value: unknown, wanted: number): number | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  if (typeof value !== "string") return undefined;
  const [, digits = "", percent] = /^(\d{1,9})(%?)$/.exec(value) ?? [];
  if (digits === "") return undefined;
  return percent === "%" ? Math.floor((wanted * Number(digits)) / 100) : Number(digits);
}
