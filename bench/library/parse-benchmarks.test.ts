import { describe, expect, test } from "bun:test";
import { parseBenchmarks } from "./parse-benchmarks.ts";

describe("a line of go test -bench", () => {
  const rows: readonly (readonly [string, string, readonly object[]])[] = [
    [
      "has no number for one processor",
      "BenchmarkGet/store \t83961234\t        14.02 ns/op\t       0 B/op\t       0 allocs/op",
      [{ name: "Get/store", processors: 1, "ns/op": 14.02, "B/op": 0, "allocs/op": 0 }],
    ],
    [
      "has the number of several",
      "BenchmarkGet/store-2 \t83961234\t 7 ns/op",
      [{ name: "Get/store", processors: 2, "ns/op": 7 }],
    ],
    [
      "may have a name that ends in another number",
      "BenchmarkOpen/entries-1000 \t100\t 200000 ns/op",
      [{ name: "Open/entries-1000", processors: 1, "ns/op": 200000 }],
    ],
    [
      "may have another unit and an exponent",
      "BenchmarkGet-2 \t1\t 1e+09 ns/op\t 3.5 lookups/round",
      [{ name: "Get", processors: 2, "ns/op": 1e9, "lookups/round": 3.5 }],
    ],
    ["ignores go's other output", "goos: linux\nBenchmarkGet\nPASS\nok  \tx\t1.2s", []],
    ["is not a failure", "--- FAIL: BenchmarkGet\n", []],
  ];
  for (const [name, output, expected] of rows) {
    test(name, () => {
      const found = parseBenchmarks(output, [1, 2]);
      const flat: readonly object[] = found.map(({ values, ...rest }) => ({
        ...rest,
        ...Object.fromEntries(values),
      }));
      expect(flat).toEqual([...expected]);
    });
  }
});
