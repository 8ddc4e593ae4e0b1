import { describe, expect, test } from "bun:test";
import { type Capability, capabilitiesOn, type PolicyRule, reaches } from "./policy.ts";

const rule = (path: string, ...capabilities: readonly Capability[]): PolicyRule => ({
  path,
  capabilities,
});

interface Row {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly path: string;
  readonly wanted: readonly Capability[];
}

const ROWS: readonly Row[] = [
  { name: "no rule allows nothing", rules: [], path: "a", wanted: [] },
  { name: "an exact rule", rules: [rule("a/b", "read")], path: "a/b", wanted: ["read"] },
  { name: "an exact rule is not a prefix", rules: [rule("a", "read")], path: "a/b", wanted: [] },
  { name: "a prefix rule", rules: [rule("a/*", "read")], path: "a/b/c", wanted: ["read"] },
  { name: "a prefix needs its slash", rules: [rule("a/*", "read")], path: "a", wanted: [] },
  {
    name: "a prefix may end inside a name",
    rules: [rule("a/b*", "read")],
    path: "a/bc/d",
    wanted: ["read"],
  },
  { name: "a star alone matches all", rules: [rule("*", "read")], path: "a/b", wanted: ["read"] },
  {
    name: "an exact rule wins over a prefix, even when it allows less",
    rules: [rule("a/*", "read", "list"), rule("a/b", "list")],
    path: "a/b",
    wanted: ["list"],
  },
  {
    name: "the longer prefix wins",
    rules: [rule("a/*", "read"), rule("a/b/*", "list")],
    path: "a/b/c",
    wanted: ["list"],
  },
  {
    name: "the later first wildcard wins",
    rules: [rule("a/+/c", "read"), rule("a/b*", "list")],
    path: "a/b/c",
    wanted: ["list"],
  },
  {
    name: "a pattern without star at its end wins over one with",
    rules: [rule("a/+/*", "read"), rule("a/+/c", "list")],
    path: "a/b/c",
    wanted: ["list"],
  },
  {
    name: "fewer plus signs win",
    rules: [rule("a/+/+", "read"), rule("a/+/c", "list")],
    path: "a/b/c",
    wanted: ["list"],
  },
  {
    name: "a plus may be combined with a star",
    rules: [rule("+/b/*", "read")],
    path: "a/b/c/d",
    wanted: ["read"],
  },
  { name: "a plus is one segment only", rules: [rule("a/+", "read")], path: "a/b/c", wanted: [] },
  {
    name: "equal paths add up",
    rules: [rule("a", "read"), rule("a", "list")],
    path: "a",
    wanted: ["list", "read"],
  },
  {
    name: "one deny on the same path takes all away",
    rules: [rule("a", "read"), rule("a", "deny")],
    path: "a",
    wanted: [],
  },
];

describe("capabilitiesOn", () => {
  for (const { name, rules, path, wanted } of ROWS) {
    test(name, () => {
      expect([...capabilitiesOn(path, rules)].sort()).toEqual([...wanted]);
    });
  }
});

const REACHES: readonly (readonly [name: string, path: string, wanted: boolean])[] = [
  ["a rule in the mount", "secret/data/a", true],
  ["a prefix above the mount", "*", true],
  ["a prefix that begins like the mount", "sec*", true],
  ["a rule elsewhere", "other/data/a", false],
  ["an exact rule that the mount's name begins with", "sec", false],
];

describe("reaches", () => {
  for (const [name, path, wanted] of REACHES) {
    test(name, () => {
      expect(reaches("secret/", [rule(path, "read")])).toBe(wanted);
    });
  }
  test("a deny reaches nothing", () => {
    expect(reaches("secret/", [rule("secret/*", "deny")])).toBe(false);
  });
});
