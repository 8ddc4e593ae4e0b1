import type { BootstrapErrorCode } from "../error-catalogue.ts";
import type { Holding, Initialising, Resetting, SecretPhase, StoredKeys } from "./secret-phase.ts";
import type { StoreStanding } from "./store-standing.ts";

/** The action for stored keys. */
export type StoredKeysStep = Extract<NextStep, { readonly step: "unseal" | "stop" }>;

/** Everything that the next step depends on. */
export interface Situation {
  readonly secret: SecretPhase;
  readonly store: StoreStanding;
  readonly run: {
    /** The holder that this run's reservation names. */
    readonly holder: string;
    readonly nowMs: number;
    /** True if the run is asked to reset a store whose keys were lost. */
    readonly mayReset: boolean;
  };
}

/** The next action for the keys. */
export type NextStep =
  /** Write this run's reservation. */
  | { readonly step: "reserve"; readonly resets: number }
  /** Initialise the store, and at once put its keys into the place that `placeForKeys` gives. */
  | { readonly step: "initialise"; readonly resets: number }
  /** The store's keys are lost: have it proven that it is empty, and delete it. */
  | { readonly step: "reset"; readonly held: Initialising | Resetting }
  /** The Secret's keys are this store's: go on with them. */
  | { readonly step: "unseal"; readonly keys: StoredKeys }
  | { readonly step: "stop"; readonly code: BootstrapErrorCode; readonly found: string };

/**
 * A reservation of another run that is older may be taken over, in milliseconds. An initialisation
 * ends within two minutes. No key depends on it, nor on clocks that agree: the store is
 * initialised for one of two runs only, and that one's keys are written over any reservation.
 */
export const RESERVATION_LIFE_MS = 3 * 60_000;

/**
 * After this time no run that lives has keys in hand: it waits two minutes for the store's answer,
 * and five for the API server. A run that was stopped meanwhile finds its keys void; see
 * `placeForKeys`.
 */
export const RESET_AFTER_MS = 8 * 60_000;

/** Decides the next action, while this run has no keys in hand. */
export function nextStep(situation: Situation): NextStep {
  const { secret, store } = situation;
  switch (secret.phase) {
    case "absent":
      return store.store === "uninitialised"
        ? { step: "reserve", resets: 0 }
        : stop("OUTPUT_MISSING", "the store is initialised, and there is no such Secret");
    case "empty":
      return store.store === "uninitialised"
        ? { step: "reserve", resets: 0 }
        : stop(
            "OUTPUT_MISSING",
            "the store is initialised, and the Secret is as it was made: empty",
          );
    case "reserved":
    case "initialising":
    case "resetting":
      return whileHeld(secret, situation);
    case "initialised":
      return useStoredKeys(secret, store);
    case "foreign":
      return stop("OUTPUT_FOREIGN", secret.why);
  }
}

function whileHeld(secret: Holding, { store, run }: Situation): NextStep {
  const since = sinceText(secret);
  const ours = secret.holder === run.holder;
  const whose = ours ? "this run" : `"${secret.holder}"`;
  // One from the future was made by a clock that is wrong: it would never end.
  const isOlder = (ms: number) => Math.abs(run.nowMs - secret.sinceMs) > ms;
  // It may be about to initialise the store, or to write the keys.
  if (!ours && !isOlder(RESERVATION_LIFE_MS))
    return stop("OUTPUT_RESERVED", `${whose} has reserved it${since}`);
  const { phase, resets } = secret;
  if (store.store === "uninitialised") {
    return { step: ours && phase !== "resetting" ? "initialise" : "reserve", resets };
  }
  if (run.mayReset && phase !== "reserved") {
    const mayStart = ours || phase === "resetting" || isOlder(RESET_AFTER_MS);
    if (mayStart) return { step: "reset", held: secret };
    const when = new Date(secret.sinceMs + RESET_AFTER_MS).toISOString();
    return stop(
      "OUTPUT_RESERVED",
      `${whose} may have its keys${since}: it is reset from ${when} on`,
    );
  }
  const found = `${whose} has reserved it${since}, the store is initialised, and no keys are there`;
  return stop("OUTPUT_UNFINISHED", found);
}

/** A run that could not initialise releases its reservation by an old time. */
function sinceText({ sinceMs }: Holding): string {
  return sinceMs === 0 ? " and released it" : ` since ${new Date(sinceMs).toISOString()}`;
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
