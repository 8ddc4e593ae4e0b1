import type { PodMark, StoreStanding } from "@svc/bootstrap";
import { canary } from "@svc/testing";
import { type Initialised, Secret, VaultError } from "@svc/vault";

/** How the store below is split. */
export const shamir = { shares: 3, threshold: 2 } as const;

/** As much of a store as the keys' way sees: it can be initialised once, as a real one. */
export interface StandInStore {
  /** The keys that an initialisation gives. */
  readonly keys: Initialised;
  /** How many initialisations there were. */
  readonly times: () => number;
  readonly standing: () => Promise<StoreStanding>;
  readonly initialise: () => Promise<Initialised>;
  /** The pod that it is. */
  readonly pod: () => PodMark;
}

/** A pod of which the API server knows nothing. */
export const somePod = (): PodMark => ({ name: "store-0", uid: "uid", containers: "c0ffee" });

/** A store that is not initialised, with its own keys. */
export function standInStore(): StandInStore {
  const keys: Initialised = {
    shares: [1, 2, 3].map(() => new Secret(btoa(canary()))),
    rootToken: new Secret(canary()),
  };
  let times = 0;
  return {
    keys,
    times: () => times,
    pod: somePod,
    standing: async () =>
      times === 0 ? { store: "uninitialised" } : { store: "sealed", ...shamir },
    initialise: async () => {
      if (times > 0) throw new VaultError("ALREADY_INITIALIZED", "initialise: it is initialised");
      times += 1;
      return keys;
    },
  };
}
