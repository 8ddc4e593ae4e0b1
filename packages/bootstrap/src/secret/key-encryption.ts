import type { InitialisationWish, Initialised } from "@svc/vault";
import type { KeyCiphers } from "./secret-phase.ts";

/**
 * How a store's keys are encrypted before anything keeps them. It is made, and tried, while there are no
 * keys: with the only ones in hand nothing about it may fail any more.
 */
export interface KeyEncryption {
  /** What the outcome is encrypted with, by whomever. */
  readonly ciphers: KeyCiphers;
  /** The keys that the store itself encrypts to. */
  readonly pgp: Pick<InitialisationWish, "pgpKeys" | "rootTokenPgpKey">;
  /** Encrypts what the store gives in plain and is to be encrypted by us. */
  readonly encrypt: (keys: Initialised) => Promise<Initialised>;
}

/** Everything is kept as the store gives it. */
export const noEncryption: KeyEncryption = { ciphers: {}, pgp: {}, encrypt: async (keys) => keys };
