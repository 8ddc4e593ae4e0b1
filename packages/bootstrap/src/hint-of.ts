import type { VaultError } from "@svc/vault";
import type { BootstrapError } from "./bootstrap-error.ts";

/**
 * An error's hint in the words of this command: the vault client's own name the wrapper's variable.
 */
export function hintOf(error: VaultError | BootstrapError): string {
  return error.hint.replaceAll("VAULT_ADDR", "STORE_ADDR");
}
