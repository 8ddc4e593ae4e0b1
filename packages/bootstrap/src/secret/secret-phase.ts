import type { Secret } from "@svc/vault";

/** How far the output Secret is. What it says is parsed once; everything inside relies on it. */
export type SecretPhase =
  | { readonly phase: "absent" }
  /** Somebody has made it for this command, and nothing is in it. */
  | { readonly phase: "empty" }
  | Reserved
  | StoredKeys
  | {
      readonly phase: "foreign";
      /** What is wrong with it, without a value of its data. */
      readonly why: string;
    };

/** A run has shown that it can write the Secret; there is nothing in it. */
export interface Reserved {
  readonly phase: "reserved";
  /** Names one run of the command. */
  readonly holder: string;
  /** When it was reserved, in milliseconds of the holder's clock since 1970. */
  readonly sinceMs: number;
}

/** What a key is encrypted with: the store's own way, or ours. */
export type Cipher = "pgp" | "age";

/** What the keys in a Secret are encrypted with; absent where they are plain. */
export interface KeyCiphers {
  readonly shares?: Cipher;
  readonly rootToken?: Cipher;
}

/** The keys of a store are in it. */
export interface StoredKeys {
  readonly phase: "initialised";
  /** In base64; of a message to somebody where they are encrypted. */
  readonly shares: readonly Secret[];
  readonly threshold: number;
  /** Undefined once it was taken out after its revocation. */
  readonly rootToken: Secret | undefined;
  readonly encryption: KeyCiphers;
  /** True from before the root token is revoked until it is taken out. */
  readonly revoking: boolean;
  /** Whose keys they are; undefined until the store, unsealed, has said so. */
  readonly clusterId: string | undefined;
  /** What the store was set up with, as a digest; absent until it was. */
  readonly configured?: string | undefined;
  readonly createdMs: number;
}
