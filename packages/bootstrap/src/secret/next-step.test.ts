import { describe, expect, test } from "bun:test";
import type { BootstrapErrorCode } from "../error-catalogue.ts";
import { nextStep, RESERVATION_LIFE_MS } from "./next-step.ts";
import { placeForKeys } from "./place-for-keys.ts";
import type { SecretPhase } from "./secret-phase.ts";
import { type StoreStanding, storeStanding } from "./store-standing.ts";
import { reserved, storedKeys } from "./testdata/secret-objects.ts";

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

type Wanted = "reserve" | "initialise" | "unseal" | BootstrapErrorCode;
type Row = Readonly<Record<keyof typeof stores, Wanted>>;

/** The same whatever an initialised store is. */
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

for (const [secretName, secret] of Object.entries(secrets)) {
  describe(`a Secret that is ${secretName}`, () => {
    for (const [storeName, store] of Object.entries(stores)) {
      // Both names are keys of the objects that they come from.
      const row = table[secretName as keyof typeof secrets];
      const wanted = row[storeName as keyof typeof stores];
      test(`and a store that is ${storeName}: ${wanted}`, () => {
        const next = nextStep({ secret, store, run: { holder: "run-1", nowMs: 1_000_000 } });
        expect(next.step === "stop" ? next.code : next.step).toBe(wanted);
        expect(JSON.stringify(next)).not.toContain("s.root");
      });
    }
  });
}

test.each([
  ["absent", "there"],
  ["empty", "there"],
  ["reserved by this run", "there"],
  ["reserved by another run", "there"],
  ["full of keys", "beside"],
  ["foreign", "beside"],
] as const)("keys in hand and a Secret that is %s: %s", (name, place) => {
  expect(placeForKeys(secrets[name])).toBe(place);
});

describe("a store's nodes together are", () => {
  const node = {
    ...{ initialized: false, sealed: true, shares: 0, threshold: 0, progress: 0 },
    ...{ sealType: "shamir", storageType: "raft", clusterId: undefined, version: "2" },
  };
  const closed = { ...node, initialized: true, shares: 3, threshold: 2 };
  const open = { ...closed, sealed: false, clusterId: "11111111-2222" };
  test("uninitialised where all are", () => {
    expect(storeStanding([node, node])).toEqual(stores.uninitialised);
  });
  test("sealed where one is initialised", () => {
    expect(storeStanding([node, closed])).toEqual(stores.sealed);
  });
  test("unsealed where one is", () => {
    expect(storeStanding([node, closed, open])).toEqual(stores.unsealed);
  });
  test("nothing where there is none", () => {
    expect(() => storeStanding([])).toThrow(RangeError);
  });
});
