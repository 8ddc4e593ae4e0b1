import type { Initialised, Secret } from "@svc/vault";
import type { KeyEncryption } from "./key-encryption.ts";
import type { StoredKeys } from "./secret-phase.ts";

/** What of a store's keys this process has in plain; either may be without the other. */
export interface PlainKeys {
  readonly shares: readonly Secret[] | undefined;
  readonly rootToken: Secret | undefined;
}

/** What of the keys in a Secret can be used as it is. */
export function plainOfStored({ shares, rootToken, encryption }: StoredKeys): PlainKeys {
  return {
    shares: encryption.shares === undefined ? shares : undefined,
    rootToken: encryption.rootToken === undefined ? rootToken : undefined,
  };
}

/** What of a store's answer can be used as it is, before we encrypt anything. */
export function plainOfAnswer(
  { shares, rootToken }: Initialised,
  { pgp }: KeyEncryption,
): PlainKeys {
  return {
    shares: pgp.pgpKeys === undefined ? shares : undefined,
    rootToken: pgp.rootTokenPgpKey === undefined ? rootToken : undefined,
  };
}
