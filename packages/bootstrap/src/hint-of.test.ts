import { expect, test } from "bun:test";
import { VaultError, vaultErrorCatalogue } from "@svc/vault";
import { BootstrapError } from "./bootstrap-error.ts";
import { bootstrapErrorCatalogue } from "./error-catalogue.ts";
import { hintOf } from "./hint-of.ts";

test("no hint names the wrapper's address", () => {
  const hints = [
    ...typedKeys(vaultErrorCatalogue).map((code) => hintOf(new VaultError(code, "x"))),
    ...typedKeys(bootstrapErrorCatalogue).map((code) => hintOf(new BootstrapError(code, "x"))),
  ];
  expect(hints.filter((hint) => hint.includes("VAULT_ADDR"))).toEqual([]);
  expect(hints.filter((hint) => hint.includes("STORE_ADDR")).length).toBeGreaterThan(1);
});

function typedKeys<T extends object>(of: T): readonly (keyof T)[] {
  // The catalogues are literals: they have no key but those of their type.
  return Object.keys(of) as (keyof T)[];
}
