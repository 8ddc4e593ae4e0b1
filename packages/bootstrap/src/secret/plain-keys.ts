import type { Initialised, Secret } from "@svc/vault";
import type { KeyEncryption } from "./key-encryption.ts";
import type { StoredKeys } from "./secret-phase.ts";

/** The plain keys in this process; either part may be absent. */
export interface PlainKeys {
  readonly shares: readonly Secret[] | undefined;
  readonly rootToken: Secret | undefined;
}

/** The keys in a Secret that are usable without decryption. */
export function plainOfStored({ shares, rootToken, encryption }: StoredKeys): PlainKeys {
  return {
    shares: encryption.shares === undefined ? shares : undefined,
    rootToken: encryption.rootToken === undefined ? rootToken : undefined,
  };
}

/** The keys in a store's answer that are usable, before we encrypt them. */
export function plainOfAnswer(
  { shares, rootToken }: Initialised,
  { pgp }: KeyEncryption,
): PlainKeys {
  return {
    shares: pgp.pgpKeys === undefined ? shares : undefined,
    rootToken: pgp.rootTokenPgpKey === undefined ? rootToken : undefined,
  };
}
