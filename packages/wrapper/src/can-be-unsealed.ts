import { loginFacts } from "./settings/vault-auth.ts";
import type { WrapperSettings } from "./settings.ts";

/**
 * Whether a token that is missing, or has died, may be brought by POST /v1/unseal. A VAULT_TOKEN
 * that is wrong from the start is a mistake in the settings: the wrapper exits instead of waiting.
 * Without a health server no token can be brought.
 *
 * @param hasRun true once the program has run.
 */
export function canBeUnsealed(
  { vault, health }: Pick<WrapperSettings, "vault" | "health">,
  hasRun: boolean,
): boolean {
  if (health === undefined) return false;
  const { unsealable } = loginFacts(vault?.auth);
  return unsealable === "always" || (unsealable === "after a run" && hasRun);
}
