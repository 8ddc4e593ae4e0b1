/** Waits while a vault is away, for all looks at it together. */
export interface VaultAway {
  /** How long it is left alone from now on. */
  readonly waitMs: (nowMs: number) => number;
  /** It did not answer, or asked to be left alone. */
  readonly failed: (nowMs: number, retryAfterMs: number | undefined) => void;
  readonly answered: () => void;
}

const [FIRST_MS, LONGEST_MS] = [1000, 30_000];
/** An answer that asks for more is not believed. */
const MOST_ASKED_MS = 300_000;

/** Makes one for a vault that is there. `random` is as Math.random. */
export function vaultAway(random: () => number = Math.random): VaultAway {
  let failures = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  return {
    waitMs: (nowMs) => Math.max(0, untilMs - nowMs),
    failed: (nowMs, retryAfterMs = 0) => {
      // Several requests of one moment are one failure.
      if (nowMs < untilMs) return;
      const longestMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
      const pauseMs = longestMs * (0.5 + random() / 2);
      failures += 1;
      untilMs = nowMs + Math.max(pauseMs, Math.min(retryAfterMs, MOST_ASKED_MS));
    },
    answered: () => {
      failures = 0;
    },
  };
}
