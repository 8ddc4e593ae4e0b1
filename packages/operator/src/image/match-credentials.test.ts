import { describe, expect, test } from "bun:test";
import type { DefaultRegistry } from "./default-registry.ts";
import { matchCredentials } from "./match-credentials.ts";
import { parsePullSecrets } from "./pull-secrets.ts";
import { revealCredential } from "./registry-credential.ts";

const byDefault: DefaultRegistry = {
  name: "hub.test",
  aliases: ["index.hub.test"],
  server: "r.hub.test",
};

/** Patterns of a pull secret, an image's place, and the tried credentials, in this order. */
const rows: readonly [patterns: readonly string[], place: string, expected: readonly string[]][] = [
  [["registry.test"], "registry.test/app", ["registry.test"]],
  [["https://registry.test"], "registry.test/app", ["https://registry.test"]],
  [["http://registry.test/"], "registry.test/app", ["http://registry.test/"]],
  [["https://registry.test/v1/"], "registry.test/app", ["https://registry.test/v1/"]],
  [["registry.test/v2/"], "registry.test/app", ["registry.test/v2/"]],
  [["registry.test"], "other.test/app", []],
  [["registry.test"], "registry.test:5000/app", []],
  [["registry.test:5000"], "registry.test:5000/app", ["registry.test:5000"]],
  [["registry.test:5000"], "registry.test/app", []],
  [["*.test"], "registry.test/app", ["*.test"]],
  [["*.test"], "a.registry.test/app", []],
  [["*.registry.test"], "registry.test/app", []],
  [["reg*.test", "*egis*r*.test", "reg.*"], "registry.test/app", ["reg*.test", "*egis*r*.test"]],
  [["*.*.test:5000"], "a.b.test:5000/app", ["*.*.test:5000"]],
  [["registry.test/team"], "registry.test/team/app", ["registry.test/team"]],
  [["registry.test/team"], "registry.test/other/app", []],
  [
    ["registry.test", "registry.test/team/app", "registry.test/team"],
    "registry.test/team/app",
    ["registry.test/team/app", "registry.test/team", "registry.test"],
  ],
  [["[::1]:5000"], "[::1]:5000/app", ["[::1]:5000"]],
  [["https://index.hub.test/v1/"], "hub.test/library/nginx", ["https://index.hub.test/v1/"]],
  [["hub.test"], "hub.test/library/nginx", ["hub.test"]],
  [["index.hub.test", "hub.test"], "hub.test/library/nginx", ["hub.test"]],
  [["https://index.hub.test/v1/"], "registry.test/app", []],
  [["", " ", "https://", "u:p@registry.test", "registry.test:x"], "registry.test/app", []],
];

describe("credentials for", () => {
  for (const [patterns, place, expected] of rows) {
    test(`${patterns.join(" and ")}, asked for ${place}, are ${expected.length}`, () => {
      const auths = Object.fromEntries(
        patterns.map((each) => [each, { username: each || "x", password: "p" }]),
      );
      const found = matchCredentials(entriesOf(secretOf({ auths })), placeOf(place), byDefault);
      expect(found.map((each) => revealCredential(each).username)).toEqual([...expected]);
    });
  }
  test("one place by two Secrets are tried in the Secrets' order, each once", () => {
    const auths = (username: string) =>
      secretOf({ auths: { "registry.test": { username, password: "p" } } });
    const entries = entriesOf(auths("first"), auths("second"), auths("first"));
    const found = matchCredentials(entries, placeOf("registry.test/app"));
    expect(found.map((each) => revealCredential(each).username)).toEqual(["first", "second"]);
  });
  test("one image are at most sixteen", () => {
    const entries = Array.from({ length: 40 }, (_, index) =>
      entriesOf(secretOf({ auths: { "registry.test": { username: `u${index}`, password: "p" } } })),
    ).flat();
    expect(matchCredentials(entries, placeOf("registry.test/app"))).toHaveLength(16);
  });
  test("a host of many stars are compared in no time", () => {
    const auths = { [`${"*a".repeat(5000)}b.test`]: { username: "u", password: "p" } };
    const began = performance.now();
    matchCredentials(entriesOf(secretOf({ auths })), placeOf(`${"a".repeat(200)}.test/app`));
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const problemsOf = (value: unknown) =>
  parsePullSecrets([secretOf({ auths: { "registry.test": value } })]).problems;

describe("a pull secret", () => {
  const entries: Readonly<Record<string, readonly [value: unknown, expected: object]>> = {
    auth: [{ auth: base64("u:p:q") }, { username: "u", password: "p:q" }],
    "auth that wins": [
      { auth: base64("u:p"), username: "x", password: "y" },
      { username: "u", password: "p" },
    ],
    "auth with NULs": [{ auth: base64("u:p\0\0") }, { username: "u", password: "p" }],
    "user and password": [
      { username: "u", password: "pä s" },
      { username: "u", password: "pä s" },
    ],
    "an identity token": [
      { auth: base64("u:"), identitytoken: "it" },
      { username: "u", identityToken: "it" },
    ],
    "a registry token": [{ registrytoken: "rt" }, { registryToken: "rt" }],
  };
  for (const [what, [value, expected]] of Object.entries(entries)) {
    test(`may have ${what}`, () => {
      const [entry] = entriesOf(secretOf({ auths: { "registry.test": value } }));
      expect(entry && revealCredential(entry.credential)).toMatchObject(expected);
    });
  }
  test("may be of the old type", () => {
    const data = {
      ".dockercfg": base64(JSON.stringify({ "registry.test": { auth: base64("u:p") } })),
    };
    expect(entriesOf({ name: "old", type: "kubernetes.io/dockercfg", data })).toHaveLength(1);
  });
  test("that cannot be used is named, without its content", () => {
    const canary = "canary-of-a-password";
    const spoilt = [
      problemsOf({ auth: base64(canary) }),
      problemsOf({ auth: canary }),
      problemsOf(canary),
      problemsOf({ password: canary }),
      parsePullSecrets([{ ...secretOf({}), data: { ".dockerconfigjson": base64(`{${canary}`) } }])
        .problems,
      parsePullSecrets([{ ...secretOf({}), type: "Opaque" }]).problems,
    ];
    for (const problems of spoilt) {
      expect(problems).toHaveLength(1);
      expect(problems[0]).toStartWith("read pull secret regcred: ");
      expect(problems[0]).not.toContain(canary);
    }
  });
  test("of absurd size is read in part, in no time, and says so", () => {
    const login = { username: "u", password: "p" };
    const names = Array.from({ length: 15_000 }, (_, index) => [`r${index}.test`, login] as const);
    const auths = { [`a${"?".repeat(300_000)}\n`]: login, ...Object.fromEntries(names) };
    const beganMs = performance.now();
    const { entries, problems } = parsePullSecrets([secretOf({ auths })]);
    expect(matchCredentials(entries, placeOf("r0.test/app"))).toHaveLength(1);
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    expect(problems).toEqual([
      expect.stringContaining("14901 of 15001 entries are left out: at most 100 are read"),
    ]);
  });
  test("prints as a secret", () => {
    const entries = entriesOf(
      secretOf({ auths: { "registry.test": { username: "u", password: "canary" } } }),
    );
    expect(`${Bun.inspect(entries)}${JSON.stringify(entries)}`).not.toContain("canary");
  });
});

function secretOf(config: object) {
  const data = { ".dockerconfigjson": base64(JSON.stringify(config)) };
  return { name: "regcred", type: "kubernetes.io/dockerconfigjson", data };
}

function entriesOf(...secrets: Parameters<typeof parsePullSecrets>[0]) {
  return parsePullSecrets(secrets).entries;
}

function placeOf(text: string) {
  const slash = text.indexOf("/");
  return { registry: text.slice(0, slash), repository: text.slice(slash + 1) };
}
