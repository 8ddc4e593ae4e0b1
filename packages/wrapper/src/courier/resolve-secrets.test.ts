import { describe, expect, test } from "bun:test";
import type { ReadOutcome } from "@svc/vault";
import { WrapperError } from "../errors.ts";
import type { SecretSettings } from "../settings.ts";
import { field, opened, read, secretSettings, source, unread } from "../testdata/outcomes.ts";
import { resolveSecrets } from "./resolve-secrets.ts";

const app = (...mappings: Parameters<typeof field>[]) =>
  secretSettings([source("app", ...mappings.map((mapping) => field(...mapping)))]);

describe("resolveSecrets", () => {
  const delivered: readonly (readonly [
    name: string,
    settings: SecretSettings,
    outcomes: readonly ReadOutcome[],
    entries: readonly (readonly [variable: string, value: string])[],
  ])[] = [
    [
      "delivers mapped fields in the order of the mapping",
      app(["b", "B"], ["a", "A"]),
      [read("app", { a: "1", b: "2" })],
      [
        ["B", "2"],
        ["A", "1"],
      ],
    ],
    ["delivers an empty value", app(["a", "A"]), [read("app", { a: "" })], [["A", ""]]],
    [
      "delivers a reference if that is allowed",
      { ...app(["a", "A"]), allowReferences: true },
      [read("app", { a: "vault:x" })],
      [["A", "vault:x"]],
    ],
    [
      "delivers searched keys behind mapped fields",
      secretSettings([source("a", field("x", "X")), source("b")], { searchedKeys: ["KEY"] }),
      [read("a", { x: "1" }), read("b", { KEY: "2" })],
      [
        ["X", "1"],
        ["KEY", "2"],
      ],
    ],
  ];
  for (const [name, settings, outcomes, entries] of delivered) {
    test(name, () => {
      const { entries: resolved } = resolveSecrets(settings, outcomes);
      expect(resolved.map(({ variable, value }) => [variable, opened(value)])).toEqual(
        entries.map((entry) => [...entry]),
      );
    });
  }

  const same = unread("app");
  const refused: readonly (readonly [
    name: string,
    settings: SecretSettings,
    outcomes: readonly ReadOutcome[],
    failures: readonly string[],
  ])[] = [
    [
      "names path, field and variable of a value that is null",
      app(["a", "A"]),
      [read("app", { a: null })],
      ['VALUE_REFUSED: deliver A from field "a" of app: the value is null'],
    ],
    [
      "names a value with a NUL, and a reference, at once",
      app(["a", "A"], ["b", "B"]),
      [read("app", { a: "canary\0", b: "vault:canary" })],
      [
        'VALUE_REFUSED: deliver A from field "a" of app: the value holds a NUL byte',
        'VALUE_REFUSED: deliver B from field "b" of app: the value is still a reference',
      ],
    ],
    [
      "names both places of a variable that is delivered twice",
      secretSettings([
        source("one", { kind: "every", prefix: "" }),
        source("two", { kind: "every", prefix: "" }),
      ]),
      [read("one", { A: "canary" }), read("two", { A: "canary" })],
      ['VARIABLE_DUPLICATE: deliver A from field "A" of two: already taken by field "A" of one'],
    ],
    [
      "says that nothing came out of the mapping",
      secretSettings([source("app", { kind: "every", prefix: "" })]),
      [read("app", {})],
      ["NOTHING_TO_DELIVER: map secrets: neither a variable nor a file came out of the mapping"],
    ],
    [
      "keeps the vault's own code for a failed read, and continues with the rest",
      secretSettings([source("app", field("a", "A")), source("other", field("x", "X"))]),
      [unread("app"), read("other", {})],
      [
        "VAULT_FAILED: read app: nothing there (NOT_FOUND)",
        'FIELD_MISSING: deliver X: other has no field "x": it has no fields',
      ],
    ],
    [
      "names an unread secret once that several sources share",
      secretSettings([source("app", field("a", "A")), source("app", field("b", "B"))]),
      [same, same],
      ["VAULT_FAILED: read app: nothing there (NOT_FOUND)"],
    ],
  ];
  for (const [name, settings, outcomes, failures] of refused) {
    test(`${name}, and delivers nothing`, () => {
      const error = errorOf(() => resolveSecrets(settings, outcomes));
      expect(error.failures.map(({ code, message }) => `${code}: ${message}`)).toEqual([
        ...failures,
      ]);
      expect(error.message).not.toContain("canary");
      for (const { hint } of error.failures) expect(hint).toBeString();
    });
  }
});

function errorOf(action: () => unknown): WrapperError {
  try {
    action();
  } catch (error) {
    if (error instanceof WrapperError) return error;
    throw error;
  }
  throw new Error("expected a WrapperError, got a result");
}
