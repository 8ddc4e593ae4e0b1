import { describe, expect, test } from "bun:test";
import { runFixture } from "../../testdata/run-fixture.ts";
import { type EnvironmentEntry, environmentEntries, valueText } from "./environment-block.ts";

describe("environmentEntries", () => {
  const rows: readonly (readonly [
    name: string,
    entries: readonly string[],
    read: readonly (readonly [name: string, value: string])[],
  ])[] = [
    ["is empty if there is no environment", [], []],
    [
      "keeps the order and both of a pair",
      ["B=1", "A=2", "B=3"],
      [
        ["B", "1"],
        ["A", "2"],
        ["B", "3"],
      ],
    ],
    ["keeps empty values", ["A="], [["A", ""]]],
    ["ends the name at the first =", ["A=b=c"], [["A", "b=c"]]],
    ["takes an entry without = for a name", ["lonely"], [["lonely", ""]]],
    ["keeps an entry without a name", ["=x"], [["", "x"]]],
    ["keeps bytes that are not UTF-8", ["A=\xff\x80"], [["A", "\xff\x80"]]],
    ["keeps a byte order mark", ["\xef\xbb\xbfA=1"], [["\ufeffA", "1"]]],
    [
      "keeps an empty entry",
      ["", "A=1"],
      [
        ["", ""],
        ["A", "1"],
      ],
    ],
  ];
  for (const [name, entries, read] of rows) {
    test(name, () => {
      expect(printed(entries)).toMatchObject({
        entries: read.map(([key, value]) => ({ name: key, value: hex(value) })),
      });
    });
  }
});

describe("wipeEntry and copyValue", () => {
  test("leave zeroes in /proc/self/environ and the value in the copy only", () => {
    expect(printed(["A=1", "TOKEN=canary", "B=2"], ["TOKEN"])).toMatchObject({
      copies: [hex("canary")],
      block: hex("A=1\0\0\0\0\0\0\0\0\0\0\0\0\0\0B=2\0"),
    });
  });

  test("work on each of several entries of one name", () => {
    expect(printed(["T=one", "T=two", "T="], ["T"])).toMatchObject({
      copies: [hex("one"), hex("two"), ""],
      block: hex("\0".repeat("T=one.T=two.T=.".length)),
    });
  });
});

describe("valueText", () => {
  test("gives the text of this process's own variable", () => {
    const [home] = entriesOf("PATH");
    expect(home === undefined ? undefined : valueText(home)).toBe(Bun.env["PATH"] ?? "unset");
  });
});

function entriesOf(name: string): readonly EnvironmentEntry[] {
  return environmentEntries().filter((entry) => entry.name === name);
}

function printed(entries: readonly string[], wiped: readonly string[] = []): unknown {
  const words = ["prints-environment", hexList(entries), hexList(wiped)];
  return runFixture("execs", { words });
}

function hexList(texts: readonly string[]): string {
  return JSON.stringify(texts.map(hex));
}

function hex(text: string): string {
  return Buffer.from(text, "latin1").toString("hex");
}
