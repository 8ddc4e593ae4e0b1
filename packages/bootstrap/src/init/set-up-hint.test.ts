import { expect, test } from "bun:test";
import { VaultError, type VaultErrorCode } from "@svc/vault";
import { setUpHint, withSetUpHint } from "./set-up-hint.ts";
import type { SetUpStep } from "./set-up-steps.ts";

const rows: readonly (readonly [SetUpStep, VaultErrorCode, string])[] = [
  ["auth-config", "BAD_REQUEST", "automountServiceAccountToken"],
  ["auth-config", "SERVER_ERROR", "cannot use its stored auth method"],
  ["auth-config", "DENIED", "auth/<path>/config: give an administrator's with --token-stdin"],
  ["role", "BAD_REQUEST", "BOOTSTRAP_ROLE_TTL"],
  ["policy", "DENIED", "sys/policies/acl"],
  ["kv-mount", "BAD_REQUEST", "BOOTSTRAP_KV_PATH"],
  ["auth-mount", "BAD_REQUEST", "BOOTSTRAP_AUTH_PATH"],
];

test.each(rows)("the step %s that fails with %s has its own hint", (step, code, text) => {
  const error = new VaultError(code, "write x: status 4xx", { status: 400, path: "x" });
  const hinted = withSetUpHint(error, step, {});
  expect(hinted).toMatchObject({ code, message: error.message, status: 400, path: "x" });
  expect(hinted).toMatchObject({ hint: expect.stringContaining(text) });
});

test("outside of a cluster the hint names the files that were given", () => {
  const outside = true;
  expect(setUpHint("BAD_REQUEST", "auth-config", { outside })).toContain("are of that cluster");
});

test("other errors keep their hints", () => {
  const sealed = new VaultError("SEALED", "write x: status 503");
  expect(withSetUpHint(sealed, "role", {})).toBe(sealed);
  const mistake = new TypeError("x");
  expect(withSetUpHint(mistake, "role", {})).toBe(mistake);
});
