import type { AdmissionRequest } from "./admission-request.ts";
import type { Judgement } from "./judge-pod.ts";

/** How the judgement of a pod ended, for logs and metrics. */
export type AdmissionOutcome = "injected" | "skipped" | "denied" | "failed";

/** The log record of one pod: names and reasons, never values of variables. */
export interface DecisionRecord {
  readonly namespace: string;
  /** The pod's name, or its generateName with a star after it. */
  readonly pod: string;
  /** The id of the request; the API server's audit log has it as well. */
  readonly uid: string;
  readonly operation: string;
  readonly dryRun: boolean;
  readonly outcome: AdmissionOutcome;
  readonly reason: string;
  /**
   * The unmet requirements, if the pod asks for injection and did not get it: the first of them.
   */
  readonly unmet: readonly string[];
  /** That got a wrapper. */
  readonly containers: readonly string[];
  /** Why other containers of an injected pod did not, by name. */
  readonly left: Readonly<Record<string, string>>;
  readonly ms: number;
}

/** The record of a judgement that took a number of milliseconds. */
export function recordOf(
  request: AdmissionRequest,
  judgement: Judgement,
  tookMs: number,
): DecisionRecord {
  const { namespace, uid, operation, dryRun } = request;
  const pod = nameOf(request);
  const ms = Math.round(tookMs * 1000) / 1000;
  return { namespace, pod, uid, operation, dryRun, ...outcomeOf(judgement), ms };
}

type Outcome = Pick<DecisionRecord, "outcome" | "reason" | "unmet" | "containers" | "left">;

function outcomeOf({ injection, fault }: Judgement): Outcome {
  const none = { unmet: [], containers: [], left: {} };
  switch (injection.kind) {
    case "patch": {
      const { containers, left } = injection.summary;
      const names = containers.map(({ name }) => name);
      return { ...none, outcome: "injected", reason: "it asks for it", containers: names, left };
    }
    case "skip": {
      const { reason } = injection;
      const unmet = firstOf(injection.unmet ?? []);
      return { ...none, outcome: fault === undefined ? "skipped" : "failed", reason, unmet };
    }
    case "deny":
      return { ...none, ...refusals[fault ?? "none"], unmet: firstOf(injection.unmet) };
  }
}

/** A line of the log is for people, and a pod can have any number of problems. */
const MOST_UNMET = 20;
const LONGEST_UNMET = 500;

function firstOf(unmet: readonly string[]): readonly string[] {
  return unmet
    .slice(0, MOST_UNMET)
    .map((line) => (line.length > LONGEST_UNMET ? `${line.slice(0, LONGEST_UNMET)}…` : line));
}

const refusals = {
  none: { outcome: "denied", reason: "it cannot be injected into" },
  late: { outcome: "failed", reason: "a SvcConfig or a registry was not answered in time" },
  broken: { outcome: "failed", reason: "a SvcConfig or an image could not be looked up" },
} as const;

function nameOf({ name, object }: AdmissionRequest): string {
  if (name !== "") return name;
  const { name: own, generateName } = Object(Object(object)["metadata"]);
  if (typeof own === "string" && own !== "") return own;
  return typeof generateName === "string" ? `${generateName}*` : "";
}
