import { VaultError } from "../errors/vault-error.ts";
import { mapLimited } from "../http/map-limited.ts";
import type { VaultCaller } from "../http/vault-caller.ts";
import type { Secret } from "../values/secret.ts";
import { readSecret, type SecretData, type SecretRef } from "./read-secret.ts";

/** The outcome of one of several reads. */
export type ReadOutcome =
  | { readonly ok: true; readonly ref: SecretRef; readonly secret: SecretData }
  | { readonly ok: false; readonly ref: SecretRef; readonly error: VaultError };

/**
 * Reads many secrets at once, in one deadline. One outcome per ref, in their order:
 * the user who corrects a configuration needs all problems at once.
 */
export function readSecrets(
  caller: VaultCaller,
  token: Secret,
  refs: readonly SecretRef[],
  concurrency: number,
): Promise<readonly ReadOutcome[]> {
  const startedAtMs = performance.now();
  return mapLimited(refs, concurrency, async (ref): Promise<ReadOutcome> => {
    try {
      return { ok: true, ref, secret: await readSecret(caller, token, ref, { startedAtMs }) };
    } catch (error) {
      if (error instanceof VaultError) return { ok: false, ref, error };
      throw error;
    }
  });
}
