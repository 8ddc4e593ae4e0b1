import { expect, test } from "bun:test";
import { Secret, VaultError } from "@svc/vault";
import { foundVersion, hintVault } from "./hint-vault.ts";
import { vaultTokens } from "./vault-tokens.ts";

const denied = new VaultError("DENIED", "read: status 403", { status: 403 });

function stage({ ttlMs = 0, isKnown = true } = {}) {
  const did: string[] = [];
  const clock = { nowMs: 0 };
  let logins = 0;
  const client = {
    lookupSelf: async () => {
      did.push("lookup");
      if (!isKnown) throw denied;
      return { ttlMs: 1, renewable: false, policies: [] } as never;
    },
    revokeSelf: async () => {
      did.push("revoke");
      throw denied;
    },
  };
  const tokens = vaultTokens({
    client: () => client,
    nowMs: () => clock.nowMs,
    login: async () => {
      logins += 1;
      did.push("login");
      const kind = { renewable: false, isBatch: false, policies: [] };
      return { token: new Secret(`hvs.${logins}`), ttlMs, ...kind };
    },
  });
  return { tokens, did, clock };
}

test("one login serves many requests, and another one follows before its end", async () => {
  const { tokens, did, clock } = stage({ ttlMs: 1000 });
  await Promise.all([tokens.use(async () => 1), tokens.use(async () => 2)]);
  clock.nowMs = 749;
  await tokens.use(async () => 3);
  expect(did).toEqual(["login"]);
  clock.nowMs = 750;
  await tokens.use(async () => 4);
  expect(did).toEqual(["login", "login"]);
});

test("a token that has ended is replaced, and the request is repeated once", async () => {
  const { tokens, did } = stage({ isKnown: false });
  const outcomes = [Promise.reject(denied), Promise.resolve("found")];
  expect(await tokens.use(() => outcomes.shift() as Promise<string>)).toBe("found");
  expect(did).toEqual(["login", "lookup", "login"]);
});

test("a path that is refused costs one question about the token in a minute", async () => {
  const { tokens, did, clock } = stage();
  const refused = () => tokens.use(() => Promise.reject(denied)).catch((error: unknown) => error);
  expect([await refused(), await refused()]).toEqual([denied, denied]);
  expect(did).toEqual(["login", "lookup"]);
  clock.nowMs = 60_000;
  await refused();
  expect(did).toEqual(["login", "lookup", "lookup"]);
});

test("at the end the token is revoked, if there is one, and a failure is passed over", async () => {
  const { tokens, did } = stage();
  await tokens.end();
  await tokens.use(async () => 1);
  await tokens.end();
  await tokens.end();
  expect(did).toEqual(["login", "revoke"]);
});

const state = { createdTime: "t", deletionTime: "", destroyed: false };
const dateMs = Date.parse("2026-01-02T00:00:00Z");

test.each([
  ["a version that is there", 2, state, { version: 2, isUsable: true }],
  ["a destroyed one", 2, { ...state, destroyed: true }, { version: 2, isUsable: false }],
  [
    "a deleted one",
    2,
    { ...state, deletionTime: "2026-01-01T00:00:00Z" },
    { version: 2, isUsable: false },
  ],
  [
    "one that will be deleted",
    2,
    { ...state, deletionTime: "2026-01-03T00:00:00Z" },
    { version: 2, isUsable: true },
  ],
])("%s", (_, version, states, wanted) => {
  expect(foundVersion(version, states, dateMs)).toMatchObject(wanted);
});

test.each([
  ["settings without a version", 0, undefined],
  ["a version without a state", 1, undefined],
  ["a version with a fraction", 1.5, state],
])("%s: nothing is found", (_, version, states) => {
  expect(foundVersion(version, states, dateMs)).toBeUndefined();
});

test("a scan leaves out secrets without a version", async () => {
  const vault = hintVault(
    () => ({
      scanMetadata: async () =>
        new Map([
          ["a", { version: 1, state }],
          ["b", { version: 0, state: undefined }],
        ]),
      readMetadata: async () => ({ currentVersion: 3, versions: new Map([[3, state]]) }),
    }),
    stage().tokens,
    () => dateMs,
  );
  expect([...(await vault.scan("secret")).keys()]).toEqual(["a"]);
  expect(await vault.read("secret/data/a")).toMatchObject({ version: 3 });
});
