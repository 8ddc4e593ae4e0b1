import type { RetryOptions } from "./client-options.ts";

/** The inputs for the length of the next pause. */
export interface BackoffInput {
  readonly options: RetryOptions;
  /** The try that failed, from 1. */
  readonly attempt: number;
  /** Until the deadline. */
  readonly remainingMs: number;
  /** The pause that the server asked for. */
  readonly retryAfterMs: number | undefined;
  /** From 0 to below 1. */
  readonly random: number;
}

/**
 * The pause before the next try, or undefined when there is none.
 *
 * Full jitter: anything from 0 to the bound, so that pods that started together spread out.
 * A server's own request is the least it gets, plus jitter for the same reason.
 */
export function nextDelayMs(input: BackoffInput): number | undefined {
  const { options, attempt, remainingMs, retryAfterMs = 0, random } = input;
  if (attempt >= options.maxAttempts) return undefined;
  const spareMs = remainingMs - retryAfterMs;
  // Less than the shortest pause left: another try would only be cut off.
  if (spareMs <= options.baseDelayMs) return undefined;
  const grown = options.baseDelayMs * 2 ** Math.min(attempt - 1, 30);
  const bound = retryAfterMs > 0 ? options.baseDelayMs : Math.min(grown, options.maxDelayMs);
  return retryAfterMs + random * Math.min(bound, spareMs);
}
