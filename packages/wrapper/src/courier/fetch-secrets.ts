import { createVaultClient, loadTls, type ReadOutcome, VaultError } from "@svc/vault";
import { WrapperError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { SecretSource, WrapperSettings } from "../settings.ts";
import type { Delivery } from "./delivery.ts";
import { obtainToken } from "./obtain-token.ts";
import { vaultFailure } from "./vault-failure.ts";

/**
 * Logs in and reads every secret at once; one outcome for each source, in their order.
 *
 * @throws WrapperError where there is no token to read with.
 */
export async function fetchSecrets(delivery: Delivery): Promise<readonly ReadOutcome[]> {
  const { settings } = delivery.brief;
  try {
    const client = connect(settings, delivery.log);
    const token = await obtainToken(delivery, client);
    const refs = distinct(settings.secrets.sources);
    const outcomes = await client.readSecrets(token, [...refs.values()]);
    const byKey = new Map([...refs.keys()].map((key, index) => [key, outcomes[index]]));
    return settings.secrets.sources.flatMap((source) => byKey.get(keyOf(source)) ?? []);
  } catch (error) {
    if (error instanceof VaultError) throw new WrapperError([vaultFailure(error)], error);
    throw error;
  }
}

function connect({ vault, startDeadlineMs }: WrapperSettings, log: Logger) {
  return createVaultClient({
    address: vault.address,
    namespace: vault.namespace,
    tls: loadTls(vault.tls),
    // A deadline of 0 means a single try.
    retry:
      startDeadlineMs === 0
        ? { maxAttempts: 1, deadlineMs: 60_000 }
        : { deadlineMs: startDeadlineMs },
    onRetry: ({ attempt, delayMs, error }) =>
      log.warn(error.message, {
        code: error.code,
        attempt,
        retryInMs: Math.round(delayMs),
      }),
  });
}

/** A path that is named twice is read once. */
function distinct(sources: readonly SecretSource[]) {
  return new Map(
    sources.map(({ path, version }) => [
      keyOf({ path, version }),
      version === undefined ? { path } : { path, version },
    ]),
  );
}

function keyOf({ path, version }: { path: string; version?: number | undefined }): string {
  return `${path}#${version ?? ""}`;
}
