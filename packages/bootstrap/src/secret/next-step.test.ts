import { describe, expect, test } from "bun:test";
import type { BootstrapErrorCode } from "../error-catalogue.ts";
import { nextStep, RESERVATION_LIFE_MS, RESET_AFTER_MS } from "./next-step.ts";
import { placeForKeys } from "./place-for-keys.ts";
import type { SecretPhase } from "./secret-phase.ts";
import { type StoreStanding, storeStanding } from "./store-standing.ts";
import { initialising, reserved, resetting, storedKeys } from "./testdata/secret-objects.ts";

const secrets = {
  absent: { phase: "absent" },
  empty: { phase: "empty" },
  "reserved by this run": reserved,
  "reserved by another run": { ...reserved, holder: "run-2" },
  "reserved long ago": {
    ...reserved,
    holder: "run-2",
    sinceMs: 1_000_000 - RESERVATION_LIFE_MS - 1,
  },
  "at an initialisation by this run": initialising,
  "at an initialisation by another run": { ...initialising, holder: "run-2" },
  "at an initialisation some minutes ago": {
    ...initialising,
    holder: "run-2",
    sinceMs: 1_000_000 - RESERVATION_LIFE_MS - 1,
  },
  "at an initialisation long ago": {
    ...initialising,
    holder: "run-2",
    sinceMs: 1_000_000 - RESET_AFTER_MS - 1,
  },
  "at a reset by this run": resetting,
  "at a reset by another run": { ...resetting, holder: "run-2" },
  "at a reset some minutes ago": {
    ...resetting,
    holder: "run-2",
    sinceMs: 1_000_000 - RESERVATION_LIFE_MS - 1,
  },
  "full of keys": storedKeys,
  "full of keys of no cluster yet": { ...storedKeys, clusterId: undefined },
  foreign: { phase: "foreign", why: "its type is x" },
} as const satisfies Record<string, SecretPhase>;

const split = { shares: 3, threshold: 2 };

const stores = {
  uninitialised: { store: "uninitialised" },
  sealed: { store: "sealed", shares: 3, threshold: 2 },
  "sealed and split otherwise": { store: "sealed", shares: 5, threshold: 2 },
  unsealed: { ...split, store: "unsealed", clusterId: "11111111-2222" },
  "unsealed and another": { ...split, store: "unsealed", clusterId: "33333333-4444" },
  "unsealed and silent": { ...split, store: "unsealed", clusterId: undefined },
  "unsealed and split otherwise": {
    ...{ store: "unsealed", shares: 5, threshold: 2, clusterId: "11111111-2222" },
  },
} as const satisfies Record<string, StoreStanding>;

type Wanted = "reserve" | "initialise" | "reset" | "unseal" | BootstrapErrorCode;
type Row = Readonly<Record<keyof typeof stores, Wanted>>;

/** The same for every initialised store. */
const initialised = (uninitialised: Wanted, other: Wanted): Row => ({
  uninitialised,
  sealed: other,
  "sealed and split otherwise": other,
  unsealed: other,
  "unsealed and another": other,
  "unsealed and silent": other,
  "unsealed and split otherwise": other,
});

const table: Readonly<Record<keyof typeof secrets, Row>> = {
  absent: initialised("reserve", "OUTPUT_MISSING"),
  empty: initialised("reserve", "OUTPUT_MISSING"),
  "reserved by this run": initialised("initialise", "OUTPUT_UNFINISHED"),
  "reserved by another run": initialised("OUTPUT_RESERVED", "OUTPUT_RESERVED"),
  "reserved long ago": initialised("reserve", "OUTPUT_UNFINISHED"),
  "at an initialisation by this run": initialised("initialise", "OUTPUT_UNFINISHED"),
  "at an initialisation by another run": initialised("OUTPUT_RESERVED", "OUTPUT_RESERVED"),
  "at an initialisation some minutes ago": initialised("reserve", "OUTPUT_UNFINISHED"),
  "at an initialisation long ago": initialised("reserve", "OUTPUT_UNFINISHED"),
  "at a reset by this run": initialised("reserve", "OUTPUT_UNFINISHED"),
  "at a reset by another run": initialised("OUTPUT_RESERVED", "OUTPUT_RESERVED"),
  "at a reset some minutes ago": initialised("reserve", "OUTPUT_UNFINISHED"),
  "full of keys": {
    ...initialised("STORE_EMPTY", "unseal"),
    "sealed and split otherwise": "OUTPUT_OF_ANOTHER_STORE",
    "unsealed and split otherwise": "OUTPUT_OF_ANOTHER_STORE",
    "unsealed and another": "OUTPUT_OF_ANOTHER_STORE",
  },
  "full of keys of no cluster yet": {
    ...initialised("STORE_EMPTY", "unseal"),
    "sealed and split otherwise": "OUTPUT_OF_ANOTHER_STORE",
    "unsealed and split otherwise": "OUTPUT_OF_ANOTHER_STORE",
  },
  foreign: initialised("OUTPUT_FOREIGN", "OUTPUT_FOREIGN"),
};

/** A run that is asked to reset a store decides otherwise in these rows, and nowhere else. */
const whereAsked: Partial<Record<keyof typeof secrets, Wanted>> = {
  "at an initialisation by this run": "reset",
  "at an initialisation some minutes ago": "OUTPUT_RESERVED",
  "at an initialisation long ago": "reset",
  "at a reset by this run": "reset",
  "at a reset some minutes ago": "reset",
};

const run = { holder: "run-1", nowMs: 1_000_000, mayReset: false };

for (const [secretName, secret] of Object.entries(secrets)) {
  describe(`a Secret that is ${secretName}`, () => {
    for (const [storeName, store] of Object.entries(stores)) {
      // Both names are keys of the objects that they come from.
      const secretKey = secretName as keyof typeof secrets;
      const row = table[secretKey];
      const wanted = row[storeName as keyof typeof stores];
      test(`and a store that is ${storeName}: ${wanted}`, () => {
        const next = nextStep({ secret, store, run });
        expect(next.step === "stop" ? next.code : next.step).toBe(wanted);
        expect(JSON.stringify(next)).not.toContain("s.root");
      });
      const asked = (storeName !== "uninitialised" && whereAsked[secretKey]) || wanted;
      test(`and a store that is ${storeName}, and a reset is asked for: ${asked}`, () => {
        const next = nextStep({ secret, store, run: { ...run, mayReset: true } });
        expect(next.step === "stop" ? next.code : next.step).toBe(asked);
      });
    }
  });
}

test.each([
  ["absent", "there"],
  ["empty", "there"],
  ["reserved by this run", "there"],
  ["reserved by another run", "there"],
  ["at an initialisation by this run", "there"],
  ["at an initialisation by another run", "there"],
  ["at a reset by another run", "nowhere"],
  ["full of keys", "beside"],
  ["foreign", "beside"],
] as const)("keys in hand and a Secret that is %s: %s", (name, place) => {
  expect(placeForKeys(secrets[name], 0)).toBe(place);
});

describe("keys of a store that was reset meanwhile are void, also if the Secret is", () => {
  for (const secret of [reserved, initialising, storedKeys]) {
    test(secret.phase, () => {
      expect(placeForKeys({ ...secret, resets: 2 }, 1)).toBe("nowhere");
    });
  }
});

describe("a store's nodes together are", () => {
  const node = {
    ...{ initialized: false, sealed: true, shares: 0, threshold: 0, progress: 0 },
    ...{ sealType: "shamir", storageType: "raft", clusterId: undefined, version: "2" },
  };
  const closed = { ...node, initialized: true, shares: 3, threshold: 2 };
  const open = { ...closed, sealed: false, clusterId: "11111111-2222" };
  test("uninitialised if all are", () => {
    expect(storeStanding([node, node])).toEqual(stores.uninitialised);
  });
  test("sealed if one is initialised", () => {
    expect(storeStanding([node, closed])).toEqual(stores.sealed);
  });
  test("unsealed if one is", () => {
    expect(storeStanding([node, closed, open])).toEqual(stores.unsealed);
  });
  test("nothing if there is none", () => {
    expect(() => storeStanding([])).toThrow(RangeError);
  });
});
