import type { BootstrapErrorCode } from "../error-catalogue.ts";
import type { Reserved, SecretPhase, StoredKeys } from "./secret-phase.ts";
import type { StoreStanding } from "./store-standing.ts";

/** What is to be done with keys that are stored. */
export type StoredKeysStep = Extract<NextStep, { readonly step: "unseal" | "stop" }>;

/** Everything that the next step depends on. */
export interface Situation {
  readonly secret: SecretPhase;
  readonly store: StoreStanding;
  readonly run: {
    /** The holder that this run's reservation names. */
    readonly holder: string;
    readonly nowMs: number;
  };
}

/** What is to be done next about the keys. */
export type NextStep =
  /** Write this run's reservation. */
  | { readonly step: "reserve" }
  /** Initialise the store, and at once put its keys where `placeForKeys` says. */
  | { readonly step: "initialise" }
  /** The Secret's keys are this store's: go on with them. */
  | { readonly step: "unseal"; readonly keys: StoredKeys }
  | { readonly step: "stop"; readonly code: BootstrapErrorCode; readonly found: string };

/**
 * A reservation of somebody else that is older may be taken over, in milliseconds. An initialisation ends
 * within two minutes. No key depends on it, nor on clocks that agree: the store is initialised for one of
 * two runs only, and that one's keys are written over any reservation.
 */
export const RESERVATION_LIFE_MS = 3 * 60_000;

/** Decides what is to be done next, while this run has no keys in hand. */
export function nextStep(situation: Situation): NextStep {
  const { secret, store } = situation;
  switch (secret.phase) {
    case "absent":
      return store.store === "uninitialised"
        ? { step: "reserve" }
        : stop("OUTPUT_MISSING", "the store is initialised, and there is no such Secret");
    case "empty":
      return store.store === "uninitialised"
        ? { step: "reserve" }
        : stop(
            "OUTPUT_MISSING",
            "the store is initialised, and the Secret is as it was made: empty",
          );
    case "reserved":
      return withReservation(secret, situation);
    case "initialised":
      return useStoredKeys(secret, store);
    case "foreign":
      return stop("OUTPUT_FOREIGN", secret.why);
  }
}

function withReservation(secret: Reserved, { store, run }: Situation): NextStep {
  const since = sinceText(secret);
  const ours = secret.holder === run.holder;
  const whose = ours ? "this run" : `"${secret.holder}"`;
  // One from the future was made by a clock that is wrong: it would never end.
  const isStale = Math.abs(run.nowMs - secret.sinceMs) > RESERVATION_LIFE_MS;
  // It may be about to initialise the store, or to write the keys.
  if (!ours && !isStale) return stop("OUTPUT_RESERVED", `${whose} has reserved it${since}`);
  if (store.store !== "uninitialised") {
    const found = `${whose} has reserved it${since}, the store is initialised, and no keys are there`;
    return stop("OUTPUT_UNFINISHED", found);
  }
  return { step: ours ? "initialise" : "reserve" };
}

/** A run that could not initialise lets go of its reservation by an old time. */
function sinceText({ sinceMs }: Reserved): string {
  return sinceMs === 0 ? " and let go of it" : ` since ${new Date(sinceMs).toISOString()}`;
}

/** Decides whether a Secret's keys are a store's, as far as the store says who it is. */
export function useStoredKeys(keys: StoredKeys, store: StoreStanding): StoredKeysStep {
  switch (store.store) {
    case "uninitialised":
      return stop("STORE_EMPTY", "keys are there, and the store is not initialised");
    case "sealed":
      return sameNumbers(keys, store)
        ? { step: "unseal", keys }
        : stop("OUTPUT_OF_ANOTHER_STORE", numbersFound(keys, store));
    case "unsealed":
      if (isAnother(keys.clusterId, store.clusterId)) {
        return stop("OUTPUT_OF_ANOTHER_STORE", idsFound(keys.clusterId, store.clusterId));
      }
      // After a rekey it is the same cluster, and these shares would not open it.
      return sameNumbers(keys, store)
        ? { step: "unseal", keys }
        : stop("OUTPUT_OF_ANOTHER_STORE", numbersFound(keys, store));
  }
}

type Split = Extract<StoreStanding, { readonly shares: number }>;

/** A sealed store does not say which one it is; how its key was split, it does. */
function sameNumbers(keys: StoredKeys, { shares, threshold }: Split): boolean {
  return keys.shares.length === shares && keys.threshold === threshold;
}

function numbersFound(keys: StoredKeys, { shares, threshold }: Split): string {
  const there = `${keys.shares.length} shares of which ${keys.threshold} are needed are there`;
  return `${there}, and the store has ${shares} of which ${threshold} are needed`;
}

function isAnother(there: string | undefined, store: string | undefined): boolean {
  return there !== undefined && store !== undefined && there !== store;
}

function idsFound(there: string | undefined, store: string | undefined): string {
  return `the keys of cluster ${there ?? "?"} are there, and the store is cluster ${store ?? "?"}`;
}

function stop(code: BootstrapErrorCode, found: string): StoredKeysStep {
  return { step: "stop", code, found };
}
