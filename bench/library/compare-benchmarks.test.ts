import { expect, test } from "bun:test";
import { compareBenchmarks } from "./compare-benchmarks.ts";
import { parseBenchmarks } from "./parse-benchmarks.ts";

const output = `
BenchmarkGet/store 10 10 ns/op 0 B/op 0 allocs/op
BenchmarkGet/store-2 10 5 ns/op 0 B/op 0 allocs/op
BenchmarkGet/getenv 10 30 ns/op 8 B/op 1 allocs/op
BenchmarkGet/getenv-2 10 40 ns/op 8 B/op 1 allocs/op
BenchmarkGet/store/absent 10 2 ns/op
BenchmarkGet/getenv/absent 10 3 ns/op
BenchmarkOpen/1000-entries 10 200000 ns/op
BenchmarkGet/store 10 12 ns/op 0 B/op 0 allocs/op
BenchmarkGet/store 10 20 ns/op 0 B/op 0 allocs/op
`;

test("benchmarks are compared with the store's beside them, by medians", () => {
  const found = compareBenchmarks(parseBenchmarks(output, [1, 2]));
  expect(
    found.map(({ name, processors, ns, bytes, allocations, timesStore }) => [
      ...[name, processors, ns.median, ns.count],
      ...[bytes, allocations, timesStore],
    ]),
  ).toEqual([
    ["Get/store", 1, 12, 3, 0, 0, 1],
    ["Get/store", 2, 5, 1, 0, 0, 1],
    ["Get/getenv", 1, 30, 1, 8, 1, 2.5],
    ["Get/getenv", 2, 40, 1, 8, 1, 8],
    ["Get/store/absent", 1, 2, 1, undefined, undefined, 1],
    ["Get/getenv/absent", 1, 3, 1, undefined, undefined, 1.5],
    ["Open/1000-entries", 1, 200000, 1, undefined, undefined, undefined],
  ]);
});
