/** How a question was answered. */
export type PermitOutcome = (typeof permitOutcomes)[number];

/** All of them, for the metric. */
export const permitOutcomes = ["go", "wait", "refused"] as const;
