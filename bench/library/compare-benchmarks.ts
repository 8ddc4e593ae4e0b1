import { type Summary, summarise } from "../statistics.ts";
import type { BenchmarkLine } from "./parse-benchmarks.ts";

/** The result of all rounds of one benchmark with one number of processors. */
export interface ComparedBenchmark {
  readonly name: string;
  readonly processors: number;
  readonly ns: Summary;
  /** Medians; undefined if the benchmark does not say. */
  readonly bytes: number | undefined;
  readonly allocations: number | undefined;
  /** Its median as a multiple of the store's; undefined if nothing of the store is beside it. */
  readonly timesStore: number | undefined;
}

/** The sub-benchmark that its siblings are compared with. */
const STORE = "store";

/**
 * Puts the rounds together, in the order of the first. `Get/getenv` is compared with `Get/store`,
 * and `Get/getenv/absent` with `Get/store/absent`, with as many processors.
 */
export function compareBenchmarks(lines: readonly BenchmarkLine[]): readonly ComparedBenchmark[] {
  const groups = Map.groupBy(lines, ({ name, processors }) => key(name, processors));
  const median = (group: readonly BenchmarkLine[] | undefined, unit: string) => {
    const samples = (group ?? []).flatMap(({ values }) => values.get(unit) ?? []);
    return samples.length === 0 ? undefined : summarise(samples).median;
  };
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const samples = group.flatMap(({ values }) => values.get("ns/op") ?? []);
    if (first === undefined || samples.length === 0) return [];
    const { name, processors } = first;
    const ns = summarise(samples);
    const store = median(groups.get(key(besideStore(name), processors)), "ns/op");
    return [
      {
        ...{ name, processors, ns },
        bytes: median(group, "B/op"),
        allocations: median(group, "allocs/op"),
        timesStore: store === undefined ? undefined : ns.median / store,
      },
    ];
  });
}

function key(name: string, processors: number): string {
  return `${name} ${processors}`;
}

function besideStore(name: string): string {
  const [benchmark = "", , ...rest] = name.split("/");
  return [benchmark, STORE, ...rest].join("/");
}
