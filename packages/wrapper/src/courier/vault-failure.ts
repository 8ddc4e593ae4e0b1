import type { VaultError } from "@svc/vault";
import { type Failure, failure } from "../errors.ts";

/** A failure that keeps the vault client's code and hint. */
export function vaultFailure(error: VaultError): Failure {
  return failure("VAULT_FAILED", `${error.message} (${error.code})`, error.hint);
}
