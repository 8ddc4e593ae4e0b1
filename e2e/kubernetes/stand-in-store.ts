import type { StoreStanding } from "@svc/bootstrap";
import { canary } from "@svc/testing";
import { type Initialised, Secret, VaultError } from "@svc/vault";

/** How the store below is split. */
export const shamir = { shares: 3, threshold: 2 } as const;

/** As much of a store as the keys' way sees: it can be initialised once, as a real one. */
export interface StandInStore {
  /** What an initialisation gives. */
  readonly keys: Initialised;
  /** How many initialisations there were. */
  readonly times: () => number;
  readonly standing: () => Promise<StoreStanding>;
  readonly initialise: () => Promise<Initialised>;
}

/** A store that is not initialised, with keys of its own. */
export function standInStore(): StandInStore {
  const keys: Initialised = {
    shares: [1, 2, 3].map(() => new Secret(btoa(canary()))),
    rootToken: new Secret(canary()),
  };
  let times = 0;
  return {
    keys,
    times: () => times,
    standing: async () =>
      times === 0 ? { store: "uninitialised" } : { store: "sealed", ...shamir },
    initialise: async () => {
      if (times > 0) throw new VaultError("ALREADY_INITIALIZED", "initialise: it is initialised");
      times += 1;
      return keys;
    },
  };
}
