import { describe, expect, test } from "bun:test";
import { type Summary, summarise } from "./statistics.ts";

describe("summarise", () => {
  const rows: readonly (readonly [name: string, samples: readonly number[], summary: Summary])[] = [
    ["is the sample itself for one", [3], { count: 1, min: 3, median: 3, p95: 3 }],
    ["sorts by value", [10, 9, 2], { count: 3, min: 2, median: 9, p95: 9.9 }],
    ["halves between two", [1, 2], { count: 2, min: 1, median: 1.5, p95: 1.95 }],
    [
      "takes the 95th of 0 to 100",
      Array.from({ length: 101 }, (_, index) => 100 - index),
      { count: 101, min: 0, median: 50, p95: 95 },
    ],
  ];
  for (const [name, samples, summary] of rows) {
    test(name, () => {
      expect(summarise(samples)).toEqual(summary);
    });
  }

  test("refuses to summarise nothing", () => {
    expect(() => summarise([])).toThrow(RangeError);
  });
});
