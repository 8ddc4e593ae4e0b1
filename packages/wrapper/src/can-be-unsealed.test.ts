import { expect, test } from "bun:test";
import { canBeUnsealed } from "./can-be-unsealed.ts";
import { least, settingsOf } from "./settings/testdata/least-environment.ts";

const by = (source: object) => {
  const settings = settingsOf(least);
  const auth = { method: "token", source } as const;
  return { ...settings, vault: { ...settings.vault, auth } } as typeof settings;
};
const { health, ...withoutServer } = by({ kind: "unseal" });
const kubernetes = settingsOf({ ...least, VAULT_AUTH_ROLE: "app" });

for (const [what, settings, before, after] of [
  ["a login needs no token", kubernetes, false, false],
  ["a token that was not given yet", by({ kind: "unseal" }), true, true],
  ["VAULT_TOKEN, once the program has run", by({ kind: "environment" }), false, true],
  ["a file is read again at each look", by({ kind: "file", path: "/token" }), false, false],
  ["no token can be brought without a server", withoutServer, false, false],
] as const) {
  test(`unsealing: ${what}`, () => {
    expect([canBeUnsealed(settings, false), canBeUnsealed(settings, true)]).toEqual([
      before,
      after,
    ]);
  });
}

test("a wrapper without a vault needs no token", () => {
  const { vault: _, ...settings } = kubernetes;
  expect([canBeUnsealed(settings, false), canBeUnsealed(settings, true)]).toEqual([false, false]);
});
