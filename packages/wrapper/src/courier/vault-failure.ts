import type { VaultError } from "@svc/vault";
import { type Failure, failure } from "../errors.ts";

/** A failure that keeps the vault client's code and hint, and whether it may mend itself. */
export function vaultFailure(error: VaultError): Failure {
  const told = failure("VAULT_FAILED", `${error.message} (${error.code})`, error.hint);
  return error.retryable ? told : { ...told, lasting: true };
}
