import type { Secret, VaultAdministration } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StoredKeys } from "../secret/secret-phase.ts";

/** The root token that is in a Secret, and its other state. */
export interface KeptToken {
  readonly stored: StoredKeys;
  /** Undefined if there is none, or an encrypted one. */
  readonly rootToken: Secret | undefined;
  /** The Secret, for messages. */
  readonly name: string;
}

/** The inputs for choosing a token. */
export interface TokenChoice {
  /** Goes before the Secret's. */
  readonly given: Secret | undefined;
  readonly kept: KeptToken;
  /** The digest of the wanted set-up. */
  readonly configured: string;
}

/**
 * The token to set a store up with. Undefined if there is none and none is needed, because a run
 * that had one has set the store up with the same settings.
 *
 * @throws BootstrapError `ROOT_TOKEN_MISSING`
 */
export async function chooseToken(
  active: VaultAdministration,
  { given, kept, configured }: TokenChoice,
): Promise<Secret | undefined> {
  const token = given ?? kept.rootToken;
  if (token !== undefined && (await active.acceptsToken(token))) return token;
  if (given === undefined && kept.stored.configured === configured) return undefined;
  const where = given === undefined ? `use ${kept.name}` : "use the token of standard input";
  throw new BootstrapError("ROOT_TOKEN_MISSING", `${where}: ${whatIsWrong(token, kept)}`);
}

function whatIsWrong(token: Secret | undefined, { stored }: KeptToken): string {
  if (token !== undefined) return "the store refuses it";
  const since = "and the store was last set up with other settings";
  const cipher = stored.encryption.rootToken;
  if (cipher !== undefined) return `its root token is encrypted with ${cipher}, ${since}, if ever`;
  return `it has no root token any more, ${since}`;
}
