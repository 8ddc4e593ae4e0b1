/** How long a subscription lives without a renewal. */
export const SUBSCRIPTION_LIFE_MS = 1_500_000;

const PERIOD_MS = 30_000;
/** Heartbeats that a replica sends in a second, at the most. */
const MOST_A_SECOND = 500;
/** One heartbeat may be lost, and the next one may be late. */
const PERIODS = 2.5;

/** The time from one heartbeat of a subscription to the next. */
export function heartbeatPeriodMs(subscriptions: number): number {
  return Math.max(PERIOD_MS, (subscriptions / MOST_A_SECOND) * 1000);
}

/** For how long a `fresh` holds. */
export function validForMs(subscriptions: number): number {
  return Math.round(PERIODS * heartbeatPeriodMs(subscriptions));
}

/** `changed` is said again so long after it was said first; then with each heartbeat. */
const AGAIN_MS: readonly number[] = [5000, 10_000, 30_000];

/** The pause behind the `times`-th `changed`; undefined if the next heartbeat repeats it. */
export function againAfterMs(times: number): number | undefined {
  return AGAIN_MS[times - 1];
}

const [FIRST_RETRY_MS, LONGEST_RETRY_MS] = [1000, 60_000];
const MOST_FAILURES = 8;

/** The pause behind a failure in a row; undefined if the subscription is over. */
export function retryAfterMs(failures: number): number | undefined {
  if (failures >= MOST_FAILURES) return undefined;
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
}
