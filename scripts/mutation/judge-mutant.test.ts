import { expect, test } from "bun:test";
import { seedsOf } from "./judge-mutant.ts";

const reached = { "a.ts": { 3: [1, 4], 5: [], 7: [2, 4], 9: [1, 6, 7, 14] } };
const mutant = (path: string, first: number, last: number) => ({
  path,
  start: { line: first - 1, column: 0 },
  end: { line: last - 1, column: 9 },
  replacement: "",
});

test.each([
  ["the seeds of its line", mutant("a.ts", 3, 3), [1, 4]],
  ["the seeds of each of its lines, once", mutant("a.ts", 3, 7), [1, 2, 4]],
  ["stories before others", mutant("a.ts", 9, 9), [7, 14, 1, 6]],
  ["no seed if none reaches its line", mutant("a.ts", 5, 5), []],
  ["all seeds of the file if no statement begins there", mutant("a.ts", 6, 6), [7, 14, 1, 2, 4, 6]],
  ["no seed if none loads the file", mutant("b.ts", 3, 3), []],
] as const)("a mutant is tried with %s", (_, one, seeds) => {
  expect(seedsOf(one, reached)).toEqual([...seeds]);
});
