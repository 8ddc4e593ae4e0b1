import type { InitialisationRequest, Initialised } from "@svc/vault";
import type { KeyCiphers } from "./secret-phase.ts";

/**
 * How a store's keys are encrypted before anything keeps them. It is made, and tried, before the
 * first key exists: with the only keys in hand nothing about it may fail any more.
 */
export interface KeyEncryption {
  /** The encryption of the keys, by the store or by us. */
  readonly ciphers: KeyCiphers;
  /** The keys that the store itself encrypts to. */
  readonly pgp: Pick<InitialisationRequest, "pgpKeys" | "rootTokenPgpKey">;
  /** Encrypts the store's plain keys that we have to encrypt. */
  readonly encrypt: (keys: Initialised) => Promise<Initialised>;
}

/** Everything is kept as the store gives it. */
export const noEncryption: KeyEncryption = { ciphers: {}, pgp: {}, encrypt: async (keys) => keys };
