import { describe, expect, test } from "bun:test";
import { runFixture } from "../../testdata/run-fixture.ts";

describe("argumentVector", () => {
  const rows: readonly (readonly [name: string, words: readonly string[]])[] = [
    ["has no words if there are none", []],
    ["keeps spaces, quotes and line feeds", ["a b", "'\"$x", "1\n2"]],
    ["keeps empty words, also the last", ["", "a", "", ""]],
    ["keeps bytes that are not UTF-8", ["\xff\xfe", "a\x80"]],
    ["keeps a word that is longer than a page", ["x".repeat(50_000)]],
  ];
  for (const [name, words] of rows) {
    test(name, () => {
      const printed = runFixture("execs", { words: ["prints-arguments", "[]", hexWords(words)] });
      expect(printed).toEqual(words.map(hex));
    });
  }
});

function hexWords(words: readonly string[]): string {
  return JSON.stringify(words.map(hex));
}

function hex(word: string): string {
  return Buffer.from(word, "latin1").toString("hex");
}
