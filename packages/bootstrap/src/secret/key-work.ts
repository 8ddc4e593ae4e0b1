import type { InitialisationRequest, Initialised } from "@svc/vault";
import type { Patience } from "../store/ask-until.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import type { PlainKeys } from "./plain-keys.ts";
import type { SecretClient, SecretObject } from "./secret-object.ts";
import type { Initialising, PodMark, Resetting, StoredKeys } from "./secret-phase.ts";
import type { StoreStanding } from "./store-standing.ts";

/** The inputs for obtaining a store's keys. */
export interface KeyWork {
  readonly secret: SecretClient;
  readonly shamir: { readonly shares: number; readonly threshold: number };
  /** The encryption of new keys; `noEncryption` encrypts nothing. */
  readonly encryption: KeyEncryption;
  /** Names this run and no other. */
  readonly holder: string;
  /** Where the store stands now. */
  readonly standing: () => Promise<StoreStanding>;
  /** The pod that `initialise` asks, as the last look at the store's standing has found it. */
  readonly pod: () => PodMark;
  /** Initialises the store as requested; see `initialiseStore`. */
  readonly initialise: (wanted: InitialisationRequest) => Promise<Initialised>;
  /**
   * Deletes a store whose keys are lost. Absent if the run was not asked to.
   */
  readonly reset?:
    | ((held: Initialising | Resetting, seen: SecretObject) => Promise<void>)
    | undefined;
  /** Milliseconds since 1970; by default `Date.now`. */
  readonly now?: () => number;
  /** How long new keys may take to be stored; by default 300,000 ms. */
  readonly keeping?: Patience;
}

/** The keys, which are in the Secret. */
export interface ObtainedKeys {
  readonly outcome: "created" | "unchanged";
  /** As they are in the Secret. */
  readonly stored: StoredKeys;
  /**
   * The usable keys. Keys that we have just encrypted are here in plain, this once; those that the
   * store encrypted, and encrypted ones that were there already, are not.
   */
  readonly plain: PlainKeys;
}
