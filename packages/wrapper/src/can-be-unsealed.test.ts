import { expect, test } from "bun:test";
import { canBeUnsealed } from "./can-be-unsealed.ts";
import type { VaultAuth } from "./settings.ts";

const kubernetes: VaultAuth = {
  method: "kubernetes",
  role: "app",
  mountPath: "k",
  jwtPath: "/jwt",
};
const by = (source: Extract<VaultAuth, { method: "token" }>["source"]): VaultAuth => {
  return { method: "token", source };
};

for (const [what, auth, before, after] of [
  ["a login needs no token", kubernetes, false, false],
  ["a token that nobody has given yet", by({ kind: "unseal" }), true, true],
  ["VAULT_TOKEN, once the program has run", by({ kind: "environment" }), false, true],
  ["a file is written anew by who wrote it", by({ kind: "file", path: "/token" }), false, false],
] as const) {
  test(`unsealing: ${what}`, () => {
    expect([canBeUnsealed(auth, false), canBeUnsealed(auth, true)]).toEqual([before, after]);
  });
}
