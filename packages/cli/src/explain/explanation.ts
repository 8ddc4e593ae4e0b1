import type { InjectionReport } from "../inject/injection-report.ts";
import { type PodStory, worstFirst, worstOf } from "./pod-story.ts";

/** What `svc explain -o json` prints. */
export interface Explanation {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The place of the pod template in the object: `spec.template`; empty for a pod. */
  readonly place: string;
  /**
   * `injected`: the pod has its wrapper, and its program runs or has ended with 0. `waits`,
   * `fails`: it has its wrapper, and its program does not run; for a controller, the worst of
   * them. `not-injected`: it exists without the wrapper. `would-inject`, `would-leave`,
   * `would-refuse`: the outcome for future pods.
   */
  readonly verdict: Verdict;
  /** The sentence that answers why. */
  readonly reason: string;
  /** As the command ends. */
  readonly exitStatus: ExplainStatus;
  /** Other reasons why the API server does not call the operator, or gets no answer. */
  readonly obstacles: readonly string[];
  /** That have a wrapper, or those of the pods that come. */
  readonly containers: readonly string[];
  readonly warnings: readonly string[];
  /** How far pods have come, the worst first: the pod itself, or those that the object has made. */
  readonly pods: readonly PodStory[];
  /** Objects that this command could not read. */
  readonly open: readonly string[];
  /** The errors of controllers that could not create pods, the newest last. */
  readonly failures: readonly string[];
}

/** The answer in one word. */
export type Verdict =
  | "injected"
  | "waits"
  | "fails"
  | "not-injected"
  | "would-inject"
  | "would-leave"
  | "would-refuse";

/** The meaning of the command's exit statuses. */
export const explainStatuses = {
  /** As it was asked for: the program runs, has ended with 0, or nothing was asked for. */
  asAsked: 0,
  /** A pod asks and has no wrapper, or would get none. */
  without: 2,
  /** A program does not run yet. */
  waits: 3,
  /** A program has failed, or its wrapper has. */
  fails: 4,
} as const;

/** One of them. */
export type ExplainStatus = (typeof explainStatuses)[keyof typeof explainStatuses];

/** The facts about an object. */
export interface Known {
  /** The operator's decision for the pod if it were created now. */
  readonly report: InjectionReport;
  /** The containers with a wrapper, if the pod has been injected into. */
  readonly wrapped: readonly string[];
  /** The prefix, if the pod has neither an annotation nor a label `inject` under it. */
  readonly silentUnder: string | undefined;
  readonly obstacles: readonly string[];
  readonly pods: readonly PodStory[];
  /** Faults of pods that run. */
  readonly warnings: readonly string[];
  readonly open: readonly string[];
  readonly failures: readonly string[];
}

/** Combines the facts. */
export function explain({ report, wrapped, silentUnder, ...rest }: Known): Explanation {
  const { kind, namespace, name, place } = report;
  const warnings = [...report.warnings, ...rest.warnings];
  const standing = worstOf(rest.pods.map((pod) => pod.standing));
  const head = { kind, namespace, name, place, ...rest, warnings, pods: worstFirst(rest.pods) };
  if (wrapped.length > 0) {
    const verdict = standing === "waits" || standing === "fails" ? standing : "injected";
    const reason = "it asked for it, and the operator did it";
    return { ...head, verdict, reason, exitStatus: statuses[verdict], containers: wrapped };
  }
  const isPod = kind === "Pod";
  const containers = isPod ? [] : report.containers.map((container) => container.name);
  const verdict = isPod ? "not-injected" : verdictOf(report, rest.obstacles, standing);
  const how = silentUnder === undefined ? "" : howToAsk(silentUnder);
  const why = report.decision === "leave" ? report.reason + how : undefined;
  const reason = why ?? reasonOf(report, isPod, rest.obstacles);
  const lacksIt = report.decision !== "leave" && (isPod || standing === "bare");
  const isAway = lacksIt || rest.obstacles.length > 0;
  const exitStatus = isAway ? explainStatuses.without : statuses[verdict];
  return { ...head, verdict, reason, exitStatus, containers };
}

function verdictOf(
  { decision }: InjectionReport,
  obstacles: readonly string[],
  standing: PodStory["standing"],
): Verdict {
  const isOpen = decision === "inject" && obstacles.length === 0;
  if (isOpen && (standing === "waits" || standing === "fails")) return standing;
  return verdicts[decision];
}

const statuses: Readonly<Record<Verdict, ExplainStatus>> = {
  injected: explainStatuses.asAsked,
  waits: explainStatuses.waits,
  fails: explainStatuses.fails,
  "not-injected": explainStatuses.asAsked,
  "would-inject": explainStatuses.asAsked,
  "would-leave": explainStatuses.asAsked,
  "would-refuse": explainStatuses.without,
};

function howToAsk(prefix: string): string {
  return `: neither an annotation nor a label ${prefix}/inject is there`;
}

const verdicts = {
  inject: "would-inject",
  leave: "would-leave",
  refuse: "would-refuse",
} as const;

function reasonOf(
  { decision, reason }: InjectionReport,
  isPod: boolean,
  obstacles: readonly string[],
): string {
  if (decision !== "inject" || !isPod) return reason;
  return obstacles.length > 0
    ? "it asks for it, and something was in the way"
    : `it asks for it and would get it now: when it was created, ${MISSED}; create it again`;
}

const MISSED =
  "the operator was not asked: its webhook was not there, did not choose the pod, or failed and is set to be ignored then";
