/** How long something takes as a rule. A single slow time is not believed. */
export interface UsualTime {
  readonly ms: () => number;
  /** Notes a time; gives it back, or less if it is far above the usual. */
  readonly note: (tookMs: number) => number;
}

/** The weight of the last time. */
const WEIGHT = 0.3;
/** If a machine is busy, one answer comes late. If a vault is, many do. */
const BELIEVED = 3;

/** Begins with an expectation, which the first time replaces. */
export function usualTime(expectedMs: number): UsualTime {
  let usualMs: number | undefined;
  return {
    ms: () => usualMs ?? expectedMs,
    note: (tookMs) => {
      usualMs ??= tookMs;
      const believedMs = Math.min(tookMs, BELIEVED * usualMs);
      usualMs += WEIGHT * (believedMs - usualMs);
      return believedMs;
    },
  };
}
