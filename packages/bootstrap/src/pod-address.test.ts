import { expect, test } from "bun:test";
import { podAddress } from "./pod-address.ts";

test.each([
  ["https://store.vault.svc:8200", "https://store-2.store-internal.vault:8200"],
  ["http://10.0.0.1:80", "http://store-2.store-internal.vault:80"],
  ["https://[fd00::1]:443/gate", "https://store-2.store-internal.vault:443/gate"],
])("a pod of the store at %s is at %s", (address, expected) => {
  expect(podAddress(address, "store-2.store-internal.vault")).toBe(expected);
});
