import { memoryLockLimit } from "@svc/kernel";
import { createVaultClient, loadTls, type RetryOptions, type VaultClient } from "@svc/vault";
import type { VaultSettings } from "../settings.ts";
import { readsAtATime } from "./connections-within.ts";
import type { CourierContext } from "./courier-context.ts";
import { vaultFailure } from "./vault-failure.ts";

const SHORT_DEADLINE_MS = 20_000;

/**
 * Makes the client of a courier; nothing is sent yet.
 *
 * @throws VaultError if a TLS file cannot be used.
 */
export function connect(
  { jobMessage, log, say }: CourierContext,
  retry: Partial<RetryOptions>,
  requestTimeoutMs?: number,
): VaultClient {
  const vault = vaultOf({ jobMessage });
  return createVaultClient({
    address: vault.address,
    namespace: vault.namespace,
    tls: loadTls(vault.tls),
    requestTimeoutMs: requestTimeoutMs ?? vault.requestTimeoutMs,
    concurrency: readsAtATime(vault.address, memoryLockLimit()),
    retry,
    onRetry: ({ attempt, delayMs, error }) => {
      log.warn(error.message, {
        code: error.code,
        attempt,
        retryInMs: Math.round(delayMs),
      });
      say({ kind: "retrying", failure: vaultFailure(error) });
    },
  });
}

/** The vault of the settings, for a job that is about one. */
export function vaultOf({ jobMessage }: Pick<CourierContext, "jobMessage">): VaultSettings {
  const { vault } = jobMessage.settings;
  if (vault === undefined) throw new TypeError("every secret is a file");
  return vault;
}

/** How long to try for a start: as long as SVC_START_DEADLINE allows; 0 means a single try. */
export function startRetry({ jobMessage }: CourierContext): Partial<RetryOptions> {
  const { startDeadlineMs } = jobMessage.settings;
  return startDeadlineMs === 0
    ? { maxAttempts: 1, deadlineMs: 60_000 }
    : { deadlineMs: startDeadlineMs };
}

/** For checks and refreshes: if they fail, the supervisor starts the next one, and backs off. */
export function shortRetry({ jobMessage }: CourierContext): Partial<RetryOptions> {
  const { requestTimeoutMs = 0 } = jobMessage.settings.vault ?? {};
  return { maxAttempts: 3, deadlineMs: Math.max(SHORT_DEADLINE_MS, requestTimeoutMs) };
}
