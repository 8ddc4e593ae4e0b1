import type { CheckRefusal } from "./check-state.ts";

/** The number of checks that may be asked for at once. */
const MOST = 3;

/**
 * Bounds the checks that clients may ask for: three at once, and then one in each interval. So a
 * client that asks all the time doubles the wrapper's requests to the vault at the most.
 *
 * @param intervalMs RENEWAL_INTERVAL
 * @param nowMs a clock in milliseconds that never goes back
 */
export function checkBudget(intervalMs: number, nowMs: () => number): () => CheckRefusal {
  let left = MOST;
  let filledAtMs = nowMs();
  return () => {
    const gained = (nowMs() - filledAtMs) / intervalMs;
    left = Math.min(MOST, left + gained);
    filledAtMs = nowMs();
    if (left < 1) return { retryAfterMs: (1 - left) * intervalMs };
    left -= 1;
    return undefined;
  };
}
