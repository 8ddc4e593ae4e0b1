import { expect, test } from "bun:test";
import { Secret } from "@svc/vault";
import type { KeyCiphers, StoredKeys } from "../secret/secret-phase.ts";
import { ignoredSettings } from "./ignored-settings.ts";

const key = new Secret("x");
const stored: StoredKeys = {
  phase: "initialised",
  shares: [key, key, key],
  threshold: 2,
  rootToken: key,
  encryption: {},
  revoking: false,
  clusterId: undefined,
  createdMs: 0,
  resets: 0,
};
const same = { shares: 3, threshold: 2 };
const split =
  "BOOTSTRAP_SHAMIR_SHARES, BOOTSTRAP_SHAMIR_THRESHOLD: have no effect: the store was initialised with 3 shares of which 2 unseal";
const cipher =
  "BOOTSTRAP_PGP_KEYS, BOOTSTRAP_AGE_RECIPIENTS: have no effect: the keys in the Secret stay as they were encrypted, or not";

const rows: readonly {
  readonly name: string;
  readonly shamir?: typeof same;
  readonly ciphers?: KeyCiphers;
  readonly has?: Partial<StoredKeys>;
  readonly warnings: readonly string[];
}[] = [
  { name: "the same settings are not ignored", warnings: [] },
  { name: "another number of shares", shamir: { shares: 5, threshold: 2 }, warnings: [split] },
  { name: "another threshold", shamir: { shares: 3, threshold: 3 }, warnings: [split] },
  { name: "a cipher for plain shares", ciphers: { shares: "age" }, warnings: [cipher] },
  {
    name: "no cipher for encrypted shares",
    has: { encryption: { shares: "pgp" } },
    warnings: [cipher],
  },
  { name: "a cipher for a plain root token", ciphers: { rootToken: "age" }, warnings: [cipher] },
  {
    name: "a cipher for a root token that is gone is not ignored",
    ciphers: { rootToken: "age" },
    has: { rootToken: undefined },
    warnings: [],
  },
];
for (const { name, shamir = same, ciphers = {}, has = {}, warnings } of rows) {
  test(`settings without effect: ${name}`, () => {
    expect(ignoredSettings({ shamir }, ciphers, { ...stored, ...has })).toEqual(warnings);
  });
}
