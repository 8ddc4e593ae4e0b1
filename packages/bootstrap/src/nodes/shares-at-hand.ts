import type { Secret } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { PlainKeys } from "../secret/plain-keys.ts";
import type { StoredKeys } from "../secret/secret-phase.ts";

/** The shares that this process can use, or the error for the moment when it needs them. */
export function sharesAtHand(
  secretName: string,
  { encryption, threshold }: StoredKeys,
  { shares }: PlainKeys,
): readonly Secret[] | BootstrapError {
  if (shares !== undefined) return shares;
  const found = `its key shares are encrypted with ${encryption.shares ?? "something"}, and ${threshold} are needed`;
  return new BootstrapError("SHARES_ENCRYPTED", `unseal the store with ${secretName}: ${found}`);
}
