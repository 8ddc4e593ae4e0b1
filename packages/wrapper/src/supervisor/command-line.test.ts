import { describe, expect, test } from "bun:test";
import { cutCommandLine } from "./command-line.ts";

describe("cutCommandLine", () => {
  // Words are latin1, so that any byte can be written.
  const rows: readonly (readonly [
    name: string,
    words: readonly string[],
    flags: readonly string[],
    program: readonly string[],
  ])[] = [
    ["has nothing if there are no words", [], [], []],
    ["takes everything for flags if there is no --", ["--a", "b"], ["--a", "b"], []],
    ["cuts at --", ["--a", "--", "/bin/app", "-x"], ["--a"], ["/bin/app", "-x"]],
    ["cuts at the first of several", ["--", "sh", "--", "x"], [], ["sh", "--", "x"]],
    ["has no program if -- is the last word", ["--a", "--"], ["--a"], []],
    ["keeps empty words", ["--", "", "a", ""], [], ["", "a", ""]],
    ["keeps bytes of the program that are not UTF-8", ["--", "\xff\xfe"], [], ["\xff\xfe"]],
    ["does not cut at --- or at - -", ["---", "-", "-"], ["---", "-", "-"], []],
    ["does not cut at a byte order mark with --", ["\xef\xbb\xbf--", "a"], ["\ufeff--", "a"], []],
  ];
  for (const [name, words, flags, program] of rows) {
    test(name, () => {
      const cut = cutCommandLine(words.map((word) => Buffer.from(word, "latin1")));
      expect(cut.flags).toEqual([...flags]);
      expect(cut.programWords.map((word) => Buffer.from(word).toString("latin1"))).toEqual([
        ...program,
      ]);
    });
  }
});
