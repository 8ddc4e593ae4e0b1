import { describe, expect, test } from "bun:test";
import { boundedWarnings } from "./bounded-warnings.ts";

const cases = [
  { name: "few stay as they are", given: ["one", "two"], shown: ["one", "two"] },
  { name: "the same one is said once", given: ["one", "one"], shown: ["one"] },
  { name: "one of several lines becomes one line", given: ["one\r\ntwo"], shown: ["one two"] },
  { name: "half a character becomes a whole one", given: ["\ud83d"], shown: ["\ufffd"] },
  { name: "one of 256 characters stays", given: ["😀".repeat(256)], shown: ["😀".repeat(256)] },
  {
    name: "a longer one is cut between characters",
    given: ["😀".repeat(257)],
    shown: [`${"😀".repeat(255)}…`],
  },
];

describe("of warnings", () => {
  for (const { name, given, shown } of cases) {
    test(name, () => {
      expect(boundedWarnings(given)).toEqual(shown);
    });
  }

  test("4096 characters are passed on, and one more is too many", () => {
    const lines = Array.from({ length: 16 }, (_, index) => `${index} `.padEnd(256, "x"));
    expect(boundedWarnings(lines)).toEqual(lines);
    const shown = boundedWarnings([...lines, "y"]);
    expect(shown).toEqual([...lines.slice(0, 15), "2 more warnings are left out"]);
  });

  test("there are at most 4096 characters, and how many are missing is said", () => {
    const given = Array.from({ length: 100 }, (_, index) => `${index} `.padEnd(200, "x"));
    const shown = boundedWarnings(given);
    expect(shown.join("").length).toBeLessThanOrEqual(4096);
    expect(shown.slice(0, -1)).toEqual(given.slice(0, shown.length - 1));
    expect(shown.at(-1)).toBe(`${101 - shown.length} more warnings are left out`);
  });
});
