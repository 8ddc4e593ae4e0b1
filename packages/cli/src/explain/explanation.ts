import type { InjectionReport } from "../inject/injection-report.ts";

/** What `svc explain -o json` prints. */
export interface Explanation {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * `injected`: the pod has its wrapper. `not-injected`: it is there without. `would-inject`, `would-leave`,
   * `would-refuse`: what becomes of the pods that come.
   */
  readonly verdict: "injected" | "not-injected" | "would-inject" | "would-leave" | "would-refuse";
  /** The sentence that answers why. */
  readonly reason: string;
  /** What else keeps the operator from being asked, or from answering. */
  readonly obstacles: readonly string[];
  /** That have a wrapper, or those of the pods that come. */
  readonly containers: readonly string[];
  readonly warnings: readonly string[];
  /** What could not be looked at from here. */
  readonly open: readonly string[];
  /** What controllers were told when they could not make pods, the newest last. */
  readonly failures: readonly string[];
}

/** What is known of an object. */
export interface Known {
  /** What the operator would do with the pod if it came now. */
  readonly report: InjectionReport;
  /** The containers with a wrapper, where the pod has been injected into. */
  readonly wrapped: readonly string[];
  /** The prefix, where the pod has neither an annotation nor a label `inject` under it. */
  readonly silentUnder: string | undefined;
  readonly obstacles: readonly string[];
  readonly open: readonly string[];
  readonly failures: readonly string[];
}

/** Puts together what is known. */
export function explain({ report, wrapped, silentUnder, ...rest }: Known): Explanation {
  const { kind, namespace, name, warnings } = report;
  const isPod = kind === "Pod";
  const head = { kind, namespace, name, warnings, ...rest };
  if (wrapped.length > 0) {
    const reason = "it asked for it, and the operator did it";
    return { ...head, verdict: "injected", reason, containers: wrapped };
  }
  const containers = isPod ? [] : report.containers.map((container) => container.name);
  const verdict = isPod ? "not-injected" : verdicts[report.decision];
  const how = silentUnder === undefined ? "" : howToAsk(silentUnder);
  const why = report.decision === "leave" ? report.reason + how : undefined;
  const reason = why ?? reasonOf(report, isPod, rest.obstacles);
  return { ...head, verdict, reason, containers };
}

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

const sentences: Readonly<Record<Explanation["verdict"], string>> = {
  injected: "was injected into",
  "not-injected": "was not injected into",
  "would-inject": "makes pods that are injected into",
  "would-leave": "makes pods that are left alone",
  "would-refuse": "makes pods that are refused",
};

/** The same for people. */
export function explanationText(explanation: Explanation): string {
  const { kind, namespace, name, verdict, reason, containers, obstacles } = explanation;
  const isBlocked = verdict === "would-inject" && obstacles.length > 0;
  const sentence = isBlocked ? "makes pods that would be injected into" : sentences[verdict];
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${item}`)];
  return [
    `${kind} ${namespace}/${name} ${sentence}: ${reason}`,
    ...list("containers with the wrapper", containers),
    ...list("in the way", obstacles),
    ...list("warnings", explanation.warnings),
    ...list("pods that could not be made", explanation.failures),
    ...list("not known from here", explanation.open),
  ].join("\n");
}
