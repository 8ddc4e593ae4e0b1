import type { VaultAuth } from "./settings.ts";

/**
 * Whether a token that is missing, or has died, may be brought by POST /v1/unseal. A VAULT_TOKEN that is
 * wrong from the start is a mistake of the settings, for which nobody is waited.
 *
 * @param hasRun true once the program has run.
 */
export function canBeUnsealed(auth: VaultAuth, hasRun: boolean): boolean {
  if (auth.method !== "token") return false;
  return auth.source.kind === "unseal" || (auth.source.kind === "environment" && hasRun);
}
