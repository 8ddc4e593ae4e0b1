/** The summary of a row of measurements; in the unit of the samples. */
export interface Summary {
  readonly count: number;
  readonly min: number;
  readonly median: number;
  readonly p95: number;
}

/** Summarises samples; throws RangeError for none. */
export function summarise(samples: readonly number[]): Summary {
  if (samples.length === 0) throw new RangeError("no samples");
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    min: quantile(sorted, 0),
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
  };
}

/** Between the two nearest samples, as most tools do. */
function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? 0;
  return low + (high - low) * (at - Math.floor(at));
}
