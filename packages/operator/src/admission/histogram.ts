/** Counts durations by size, as a Prometheus histogram does. */
export interface Histogram {
  readonly observe: (ms: number) => void;
  /** Its lines in the text format, in seconds. */
  readonly render: (name: string) => string;
}

/** From a patch out of the cache to a webhook's longest time. */
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** Makes a histogram of durations between 1 ms and 10 s. */
export function histogram(): Histogram {
  const counts = new Array<number>(BOUNDS_MS.length + 1).fill(0);
  let sumMs = 0;
  const observe = (ms: number): void => {
    const found = BOUNDS_MS.findIndex((bound) => ms <= bound);
    const index = found < 0 ? BOUNDS_MS.length : found;
    counts[index] = (counts[index] ?? 0) + 1;
    sumMs += ms;
  };
  return { observe, render: (name) => rendered(name, counts, sumMs) };
}

/** Each bucket holds those before it. */
function rendered(name: string, counts: readonly number[], sumMs: number): string {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const bound = BOUNDS_MS[index];
    return `${name}_bucket{le="${bound === undefined ? "+Inf" : bound / 1000}"} ${total}\n`;
  });
  return `${buckets.join("")}${name}_sum ${sumMs / 1000}\n${name}_count ${total}\n`;
}
