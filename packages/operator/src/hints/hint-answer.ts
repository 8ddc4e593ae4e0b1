import type { HintOutcome } from "../admission/hint-outcomes.ts";

/** An answer, and when a wrapper that says `later` may be asked again. */
export interface HintAnswer {
  readonly outcome: HintOutcome;
  readonly retryAfterMs?: number | undefined;
}
