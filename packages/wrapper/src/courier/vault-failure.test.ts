import { expect, test } from "bun:test";
import { VaultError } from "@svc/vault";
import { vaultFailure } from "./vault-failure.ts";

test.each([
  ["DENIED", true],
  ["INVALID_ROLE", true],
  ["NOT_FOUND", true],
  ["TLS", true],
  ["UNREACHABLE", undefined],
  ["SEALED", undefined],
  ["RATE_LIMITED", undefined],
] as const)("%s of the vault's client: a person has to mend it: %p", (code, lasting) => {
  const told = vaultFailure(new VaultError(code, "read a: refused", { hint: "look" }));
  const message = `read a: refused (${code})`;
  expect(told).toEqual({
    ...{ code: "VAULT_FAILED", message, hint: "look" },
    ...(lasting && { lasting }),
  });
});
