import { type VaultAdministration, VaultError } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepReport } from "../progress.ts";
import { beginRevocation, dropRootToken } from "../secret/amend-keys.ts";
import type { SecretClient } from "../secret/secret-object.ts";
import type { KeptToken } from "./choose-token.ts";

/**
 * Revokes the root token and takes it out of the Secret. Before that it notes the plan in the
 * Secret, so that a run that is broken off in between leaves a token that is known to be
 * worthless.
 *
 * An encrypted one is left alone: it cannot be used here, and it may differ from the given token.
 */
export async function revokeRoot(
  secret: SecretClient,
  active: VaultAdministration,
  { stored, rootToken }: KeptToken,
): Promise<StepReport> {
  if (stored.rootToken === undefined) return { outcome: "unchanged" };
  if (rootToken === undefined) return { outcome: "skipped" };
  await beginRevocation(secret);
  await active.revokeSelf(rootToken).catch(unlessRevoked);
  // This is the only copy that is known of: it goes if the store itself says that it is
  // worthless.
  if (await active.acceptsToken(rootToken)) {
    throw new BootstrapError(
      "NOT_KEPT",
      "revoke the root token: afterwards the store still takes it",
    );
  }
  return { outcome: await dropRootToken(secret) };
}

/** A refused token may be revoked already. */
function unlessRevoked(error: unknown): void {
  if (!(error instanceof VaultError) || error.code !== "DENIED") throw error;
}
