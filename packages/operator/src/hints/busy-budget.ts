/** Keeps the vault busy with looks for a small share of the time. */
export interface BusyBudget {
  /** Reserves a request of an expected length; gives how long it has to wait. */
  readonly reserve: (nowMs: number, expectedMs: number) => number;
  /** Says how long it took in truth. */
  readonly correct: (expectedMs: number, tookMs: number) => void;
}

/** A twentieth. */
const SHARE = 20;
/** Saved time: requests that take this long together may come at once. */
const SAVED_MS = 50;

/** Makes a budget that has saved time. */
export function busyBudget(): BusyBudget {
  // The time at which all that was reserved is paid for.
  let paidMs = Number.NEGATIVE_INFINITY;
  return {
    reserve: (nowMs, expectedMs) => {
      paidMs = Math.max(paidMs, nowMs - SAVED_MS * SHARE);
      const waitMs = Math.max(0, paidMs - nowMs);
      paidMs += expectedMs * SHARE;
      return waitMs;
    },
    correct: (expectedMs, tookMs) => {
      paidMs += Math.max(0, tookMs - expectedMs) * SHARE;
    },
  };
}
