/** A line of `go test -bench`. */
export interface BenchmarkLine {
  /** With its sub-benchmarks, without Benchmark: `Get/store`. */
  readonly name: string;
  /** GOMAXPROCS. */
  readonly processors: number;
  /** By unit: ns/op, B/op, allocs/op and the benchmark's own units. */
  readonly values: ReadonlyMap<string, number>;
}

/**
 * Reads the output of `go test -bench -cpu`. Go writes the number of processors behind the name,
 * except for 1, so a name that ends like that is told apart by the numbers that were asked for.
 */
export function parseBenchmarks(
  output: string,
  processors: readonly number[],
): readonly BenchmarkLine[] {
  return output.split("\n").flatMap((line) => {
    const [, written = "", rest] = /^Benchmark(\S+)\s+\d+\s+(.+)$/.exec(line) ?? [];
    if (rest === undefined) return [];
    const suffix = processors.find((count) => count !== 1 && written.endsWith(`-${count}`));
    const name = suffix === undefined ? written : written.slice(0, -`-${suffix}`.length);
    return [{ name, processors: suffix ?? 1, values: readValues(rest) }];
  });
}

/** `12.3 ns/op   0 B/op`, as numbers by unit. */
function readValues(text: string): ReadonlyMap<string, number> {
  const words = text.trim().split(/\s+/);
  return new Map(
    words.flatMap((word, index) =>
      index % 2 === 1 ? [[word, Number(words[index - 1])] as const] : [],
    ),
  );
}
