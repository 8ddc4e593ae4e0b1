import { describe, expect, test } from "bun:test";
import type { ReadOutcome } from "@svc/vault";
import type { Failure } from "../errors.ts";
import type { SecretSource } from "../settings.ts";
import { field, opened, read, secretSettings, source, unread } from "../testdata/outcomes.ts";
import { searchKeys } from "./search-keys.ts";

describe("searchKeys", () => {
  const rows: readonly (readonly [
    name: string,
    sources: readonly SecretSource[],
    outcomes: readonly ReadOutcome[],
    found: readonly string[],
    messages: readonly string[],
  ])[] = [
    [
      "finds a key in the one path that has it",
      [source("a"), source("b")],
      [read("a", { X: "1" }), read("b", { KEY: "2" })],
      ["KEY from b is 2"],
      [],
    ],
    [
      "finds a key whose value is null",
      [source("a")],
      [read("a", { KEY: null })],
      ["KEY from a is null"],
      [],
    ],
    [
      "refuses a key that no path has",
      [source("a"), source("b")],
      [read("a", { X: "canary" }), read("b", {})],
      [],
      ['deliver KEY: no field "KEY" in a, b'],
    ],
    [
      "refuses a key that several paths have",
      [source("a"), source("b"), source("c")],
      [read("a", { KEY: "canary" }), read("b", {}), read("c", { KEY: "canary" })],
      [],
      ['deliver KEY: field "KEY" is in several of a, c'],
    ],
    [
      "does not search a path that is mapped",
      [source("a", field("KEY", "OTHER")), source("b")],
      [read("a", { KEY: "1" }), read("b", { KEY: "2" })],
      ["KEY from b is 2"],
      [],
    ],
    [
      "decides nothing while a path is unread",
      [source("a"), source("b")],
      [read("a", { KEY: "1" }), unread("b")],
      [],
      [],
    ],
  ];
  for (const [name, sources, outcomes, found, messages] of rows) {
    test(name, () => {
      const failures: Failure[] = [];
      const settings = secretSettings(sources, { searchedKeys: ["KEY"] });
      const mapped = searchKeys(settings, outcomes, failures);
      expect(
        mapped.map(({ variable, path, value }) => `${variable} from ${path} is ${opened(value)}`),
      ).toEqual([...found]);
      expect(failures.map(({ message }) => message)).toEqual([...messages]);
      for (const { code } of failures) expect(code).toBe("FIELD_MISSING");
    });
  }

  test("searches each key on its own", () => {
    const failures: Failure[] = [];
    const settings = secretSettings([source("a")], { searchedKeys: ["A", "B", "C"] });
    const mapped = searchKeys(settings, [read("a", { A: "1", C: "3" })], failures);
    expect(mapped.map(({ variable }) => variable)).toEqual(["A", "C"]);
    expect(failures).toHaveLength(1);
  });
});
