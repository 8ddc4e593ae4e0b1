import { describe, expect, test } from "bun:test";
import { coveredLines, rangesOf, totalOf } from "./covered-lines.ts";

describe("coveredLines", () => {
  const rows: readonly (readonly [
    name: string,
    lines: readonly number[],
    counts: readonly (readonly number[])[],
    expected: { readonly lines: number; readonly uncovered: readonly number[] },
  ])[] = [
    ["a file that nothing loads has no covered line", [1, 2], [], { lines: 2, uncovered: [1, 2] }],
    ["a file without statements has no line", [], [[]], { lines: 0, uncovered: [] }],
    [
      "a line is covered if one of its statements ran",
      [4, 4],
      [[1, 0]],
      { lines: 1, uncovered: [] },
    ],
    [
      "processes complete each other",
      [1, 2, 3],
      [
        [1, 0, 0],
        [0, 0, 7],
      ],
      { lines: 3, uncovered: [2] },
    ],
    ["lines come in order", [9, 2], [[0, 0]], { lines: 2, uncovered: [2, 9] }],
  ];
  for (const [name, lines, counts, expected] of rows) {
    test(name, () => {
      const all = counts.map((own) => ({
        "a.ts": { s: Object.fromEntries(own.entries()) },
        "b.ts": { s: { 0: 5, 1: 5 } },
      }));
      expect(coveredLines({ path: "a.ts", lines }, all)).toEqual({ path: "a.ts", ...expected });
    });
  }
});

test("totalOf adds files, and a package without a statement is covered", () => {
  const file = (lines: number, ...uncovered: readonly number[]) => ({
    path: "a.ts",
    lines,
    uncovered,
  });
  expect(totalOf([file(3, 1), file(5)])).toEqual({ lines: 8, covered: 7, percent: 87.5 });
  expect(totalOf([file(0)])).toEqual({ lines: 0, covered: 0, percent: 100 });
});

test.each([
  [[], ""],
  [[7], "7"],
  [[1, 2, 3, 5, 7, 8], "1-3, 5, 7-8"],
])("rangesOf(%p) is %p", (lines, text) => {
  expect(rangesOf(lines)).toBe(text);
});
