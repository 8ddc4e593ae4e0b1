/** A time in which the operator is away: it says no hints, and answers nothing that is of use. */
export interface OperatorOutage {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: "refused" | "silent" | "unavailable" | "garbage";
}

/** The operator of a scenario. */
export interface OperatorPlan {
  /** SVC_HINTS: it says hints to those that subscribe, takes no subscriptions, or is not asked. */
  readonly hints: "said" | "refused" | "off";
  /** It answers `wait` so often before each `go`. */
  readonly waits: number | "for ever";
  readonly outages: readonly OperatorOutage[];
  readonly slowestMs: number;
  /** Between two hints. */
  readonly hintEveryMs: number;
  /** For how long `fresh` holds. */
  readonly validMs: number;
  /** The parts of hints that are lost, come late, or come with a forged and an old one. */
  readonly lost: number;
  readonly late: number;
  readonly forged: number;
  /** It says `fresh` of secrets that have changed, too. */
  readonly lies?: true;
}

/** The host of its address. */
export const OPERATOR_HOST = "operator";

/** Nothing calls it. */
export const noOperator: OperatorPlan = {
  ...{ hints: "off", waits: 0, outages: [], slowestMs: 1 },
  ...{ hintEveryMs: 1000, validMs: 0, lost: 0, late: 0, forged: 0 },
};
