/** How a subscription to hints was answered. */
export type SubscriptionOutcome = (typeof subscriptionOutcomes)[number];

/** Both. */
export const subscriptionOutcomes = ["subscribed", "refused"] as const;

/** How a wrapper answered a hint. */
export type HintOutcome = (typeof hintOutcomes)[number];

/**
 * All of them. `over`: the wrapper knows no such subscription, or there is no wrapper. `later`: it
 * has taken enough for now. `failed`: no answer, or another one.
 */
export const hintOutcomes = ["taken", "over", "later", "failed"] as const;

/** How versions are looked up: by one scan of the mount, or by the metadata of each path. */
export type LookWay = (typeof lookWays)[number];

/** Both. */
export const lookWays = ["scan", "metadata"] as const;

/** How a request of a look ended. `unknown`: refused for a path, or there is no such secret. */
export type LookOutcome = (typeof lookOutcomes)[number];

/** All of them. */
export const lookOutcomes = ["found", "unknown", "failed"] as const;
