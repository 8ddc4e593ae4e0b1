import { VaultError } from "../errors/vault-error.ts";
import { nextDelayMs } from "./backoff.ts";
import type { RetryEvent, RetryOptions } from "./client-options.ts";
import { cancelled } from "./send-request.ts";
import type { RequestSubject } from "./vault-request.ts";

/** The common inputs of a client's operations. */
export interface RetryPolicy {
  readonly options: RetryOptions;
  readonly signal: AbortSignal | undefined;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
}

/** One operation, as many tries as it takes. */
export interface Retried<T> {
  readonly request: RequestSubject;
  /** On the clock of `performance.now()`. */
  readonly startedAtMs: number;
  /** One try that must end within the given time. */
  readonly attempt: (remainingMs: number) => Promise<T>;
  /** Whether this error is worth another try, so long after the start. */
  readonly isRetryable: (error: VaultError, elapsedMs: number) => boolean;
  /** Other pauses after this error. */
  readonly pausesAfter?: (error: VaultError) => Partial<RetryOptions>;
}

/**
 * Tries until success, an error that no repetition mends, or the deadline.
 * @throws VaultError the last error, with the number of tries; `CANCELLED` when the signal aborts.
 */
export async function retry<T>(policy: RetryPolicy, retried: Retried<T>): Promise<T> {
  let previous: VaultError | undefined;
  for (let attempt = 1; ; attempt++) {
    if (policy.signal?.aborted) throw cancelled(retried.request, policy.signal.reason);
    try {
      return await retried.attempt(Math.max(1, Math.ceil(remainingMs(policy, retried))));
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      await pauseOrThrow(policy, retried, { attempt, error, previous });
      previous = error;
    }
  }
}

interface FailedTry {
  readonly attempt: number;
  readonly error: VaultError;
  readonly previous: VaultError | undefined;
}

async function pauseOrThrow<T>(
  policy: RetryPolicy,
  retried: Retried<T>,
  failed: FailedTry,
): Promise<void> {
  const { attempt, error, previous } = failed;
  const leftMs = remainingMs(policy, retried);
  const elapsedMs = policy.options.deadlineMs - leftMs;
  const delayMs = retried.isRetryable(error, elapsedMs)
    ? nextDelayMs({
        options: { ...policy.options, ...retried.pausesAfter?.(error) },
        attempt,
        remainingMs: leftMs,
        retryAfterMs: error.retryAfterMs,
        random: policy.random(),
      })
    : undefined;
  if (delayMs === undefined) {
    // Cut off by the deadline: the earlier error says more than the timeout.
    const cutOff = error.code === "TIMEOUT" && leftMs <= policy.options.baseDelayMs;
    const told = cutOff ? (previous ?? error) : error;
    throw withTries(told, attempt, elapsedMs);
  }
  policy.onRetry?.({ operation: retried.request.operation, attempt, delayMs, error });
  await policy.sleep(delayMs, policy.signal);
}

function remainingMs<T>(policy: RetryPolicy, retried: Retried<T>): number {
  return policy.options.deadlineMs - (performance.now() - retried.startedAtMs);
}

function withTries(error: VaultError, tries: number, elapsedMs: number): VaultError {
  if (tries === 1 || error.code === "CANCELLED") return error;
  const message = `${error.message} (${tries} tries in ${Math.round(elapsedMs)} ms)`;
  return new VaultError(error.code, message, error);
}
