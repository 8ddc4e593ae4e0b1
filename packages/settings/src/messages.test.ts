import { describe, expect, test } from "bun:test";
import { closest } from "./closest.ts";
import { editDistance } from "./edit-distance.ts";
import { problem } from "./problem.ts";
import { quoted } from "./quoted.ts";

describe("quoted", () => {
  const cases: readonly (readonly [name: string, text: string, shown: string])[] = [
    ["quotes a text", 'a "b"', '"a \\"b\\""'],
    [
      "escapes characters that move the cursor",
      "\u001b[2J\u009b\u007f",
      '"\\u001b[2J\\u009b\\u007f"',
    ],
    ["escapes line breaks and turned text", "a\nb\u2028\u202e", '"a\\nb\\u2028\\u202e"'],
    ["shows 80 characters", "x".repeat(80), `"${"x".repeat(80)}"`],
    ["cuts a longer text", "x".repeat(81), `"${"x".repeat(79)}…"`],
  ];
  for (const [name, text, shown] of cases) {
    test(name, () => expect(quoted(text)).toBe(shown));
  }
});

test("a problem cannot disturb a terminal, not even in its hint", () => {
  const { message, hint } = problem({
    variable: "X",
    wanted: "a\u001b[2J",
    found: "b\nc",
    hint: "write \u202ed",
  });
  expect([message, hint]).toEqual(["X: must be a\\u001b[2J: b\\u000ac", "write \\u202ed"]);
});

describe("editDistance", () => {
  const cases: readonly (readonly [string, string, number])[] = [
    ["", "", 0],
    ["", "abc", 3],
    ["abc", "", 3],
    ["restart", "restart", 0],
    ["retsart", "restart", 1],
    ["kitten", "sitting", 3],
    ["ab", "ba", 1],
    ["ca", "abc", 3],
  ];
  for (const [one, other, distance] of cases) {
    test(`of "${one}" and "${other}" is ${distance}`, () => {
      expect(editDistance(one, other)).toBe(distance);
      expect(editDistance(other, one)).toBe(distance);
    });
  }
});

test("closest takes the nearest candidate and none beyond the limit", () => {
  expect(closest("nnoe", ["node", "none"])).toBe("none");
  expect(closest("completely", ["other", "words"])).toBeUndefined();
  expect(closest("ab", ["xy"])).toBeUndefined();
});
