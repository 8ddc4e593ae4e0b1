import { type RetryPolicy, retry } from "./retry.ts";
import type { Connection } from "./send-request.ts";
import { sendRequest } from "./send-request.ts";
import type { VaultRequest, VaultResponse } from "./vault-request.ts";

/** The common inputs of a client's operations. */
export interface VaultCaller {
  readonly connection: Connection;
  readonly requestTimeoutMs: number;
  readonly policy: RetryPolicy;
}

/** The inputs of one operation. */
export interface CallOptions {
  /** Also try again after a 403, until so long after the start. Default 0. */
  readonly retryDeniedForMs?: number | undefined;
  /** The start of the deadline, if several calls share one. Default now. */
  readonly startedAtMs?: number | undefined;
}

/** Most refusals stay. Eight tries a minute instead of sixteen find the others soon enough. */
const pausesAfterDenial = { baseDelayMs: 2000, maxDelayMs: 20_000 } as const;

/**
 * Sends a request with retries and gives the answer to `accept`.
 * `accept` turns the answer into a value or throws the `VaultError` that decides on another try.
 */
export function call<T>(
  caller: VaultCaller,
  request: VaultRequest,
  accept: (response: VaultResponse) => T,
  options: CallOptions = {},
): Promise<T> {
  const { retryDeniedForMs = 0, startedAtMs = performance.now() } = options;
  return retry(caller.policy, {
    request,
    startedAtMs,
    attempt: (remainingMs) => attempt(caller, request, accept, remainingMs),
    isRetryable: (error, elapsedMs) =>
      error.retryable || (error.status === 403 && elapsedMs < retryDeniedForMs),
    pausesAfter: ({ status }) => (status === 403 ? pausesAfterDenial : {}),
  });
}

/** Sends a request once: for questions whose asker repeats them anyway. */
export function callOnce<T>(
  caller: VaultCaller,
  request: VaultRequest,
  accept: (response: VaultResponse) => T,
): Promise<T> {
  return attempt(caller, request, accept, Number.POSITIVE_INFINITY);
}

function attempt<T>(
  caller: VaultCaller,
  request: VaultRequest,
  accept: (response: VaultResponse) => T,
  remainingMs: number,
): Promise<T> {
  const timeoutMs = Math.min(caller.requestTimeoutMs, remainingMs);
  return sendRequest(caller.connection, request, timeoutMs).then(accept);
}
