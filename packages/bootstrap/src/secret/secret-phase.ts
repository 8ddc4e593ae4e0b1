import type { Secret } from "@svc/vault";

/** The state of the output Secret. It is parsed once; all other code relies on it. */
export type SecretPhase =
  | { readonly phase: "absent" }
  /** A user has made it for this command, and it is empty. */
  | { readonly phase: "empty" }
  | Reserved
  | Initialising
  | Resetting
  | StoredKeys
  | {
      readonly phase: "foreign";
      /** Its problem, without a value of its data. */
      readonly why: string;
    };

/** The facts about the run that wrote a phase without keys. */
interface Held {
  /** Names one run of the command. */
  readonly holder: string;
  /**
   * When it was written, in milliseconds of the holder's clock since 1970; 0 if the run has
   * released its reservation.
   */
  readonly sinceMs: number;
  /** How often the store was reset: keys of an earlier one are void. */
  readonly resets: number;
}

/** A run has shown that it can write the Secret; there is nothing in it. */
export interface Reserved extends Held {
  readonly phase: "reserved";
}

/** One life of a pod's containers. */
export interface PodMark {
  readonly name: string;
  readonly uid: string;
  /** Another text after each start of one of its containers; undefined if that is not known. */
  readonly containers: string | undefined;
}

/** A run is about to send the initialisation, or has sent it; there is nothing in the Secret. */
export interface Initialising extends Held {
  readonly phase: "initialising";
  /** The pod that it is sent to, which said that it is not initialised. */
  readonly pod: PodMark;
  readonly shares: number;
  readonly threshold: number;
  /** The place in which the run may put keys except for this Secret. */
  readonly beside: string | undefined;
}

/** A persistent volume claim and no later one of its name. */
export interface ClaimMark {
  readonly name: string;
  readonly uid: string;
}

/**
 * The store of a run that has lost its keys is being deleted. From here on that run's keys are
 * void.
 */
export interface Resetting extends Held {
  readonly phase: "resetting";
  readonly pod: PodMark;
  readonly claim: ClaimMark;
}

/** The phases that a run writes before there are keys. */
export type Holding = Reserved | Initialising | Resetting;

/** The encryption of a key: by the store, or by us. */
export type Cipher = "pgp" | "age";

/** The encryption of the keys in a Secret; absent if they are plain. */
export interface KeyCiphers {
  readonly shares?: Cipher;
  readonly rootToken?: Cipher;
}

/** The keys of a store are in it. */
export interface StoredKeys {
  readonly phase: "initialised";
  /** In base64; a message to a holder if they are encrypted. */
  readonly shares: readonly Secret[];
  readonly threshold: number;
  /** Undefined once it was taken out after its revocation. */
  readonly rootToken: Secret | undefined;
  readonly encryption: KeyCiphers;
  /** True from before the root token is revoked until it is taken out. */
  readonly revoking: boolean;
  /** The cluster of the keys; undefined until the store, unsealed, has said so. */
  readonly clusterId: string | undefined;
  /** The digest of the store's set-up; absent before it. */
  readonly configured?: string | undefined;
  readonly createdMs: number;
  /** How often the store was reset before it had these keys. */
  readonly resets: number;
}
