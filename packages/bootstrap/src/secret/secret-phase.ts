import type { Secret } from "@svc/vault";

/** How far the output Secret is. What it says is parsed once; everything inside relies on it. */
export type SecretPhase =
  | { readonly phase: "absent" }
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

/** The keys of a store are in it. */
export interface StoredKeys {
  readonly phase: "initialised";
  readonly shares: readonly Secret[];
  readonly threshold: number;
  /** Undefined once it was taken out after its revocation. */
  readonly rootToken: Secret | undefined;
  /** Whose keys they are; undefined until the store, unsealed, has said so. */
  readonly clusterId: string | undefined;
  readonly createdMs: number;
}
