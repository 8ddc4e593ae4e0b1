import { memoryLockLimit } from "@svc/kernel";
import { createVaultClient, loadTls, type RetryOptions, type VaultClient } from "@svc/vault";
import { readsAtATime } from "./connections-within.ts";
import type { CourierContext } from "./courier-context.ts";

const BRIEF_DEADLINE_MS = 20_000;

/**
 * Makes the client of a courier; nothing is sent yet.
 *
 * @throws VaultError where a TLS file cannot be used.
 */
export function connect(
  { brief, log }: CourierContext,
  retry: Partial<RetryOptions>,
  requestTimeoutMs: number = brief.settings.vault.requestTimeoutMs,
): VaultClient {
  const { vault } = brief.settings;
  return createVaultClient({
    address: vault.address,
    namespace: vault.namespace,
    tls: loadTls(vault.tls),
    requestTimeoutMs,
    concurrency: readsAtATime(vault.address, memoryLockLimit()),
    retry,
    onRetry: ({ attempt, delayMs, error }) =>
      log.warn(error.message, {
        code: error.code,
        attempt,
        retryInMs: Math.round(delayMs),
      }),
  });
}

/** How long to try for a start: as long as SVC_START_DEADLINE allows; 0 means a single try. */
export function startRetry({ brief }: CourierContext): Partial<RetryOptions> {
  const { startDeadlineMs } = brief.settings;
  return startDeadlineMs === 0
    ? { maxAttempts: 1, deadlineMs: 60_000 }
    : { deadlineMs: startDeadlineMs };
}

/** For checks and refreshes: where they fail, the supervisor starts the next one, and backs off. */
export function briefRetry({ brief }: CourierContext): Partial<RetryOptions> {
  const { requestTimeoutMs } = brief.settings.vault;
  return { maxAttempts: 3, deadlineMs: Math.max(BRIEF_DEADLINE_MS, requestTimeoutMs) };
}
