/** Counts of one run. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Skipped and still to write. */
  readonly skipped: number;
}

/** Reads the closing lines of `bun test`, for example ` 12 pass` and ` 0 fail`. */
export function parseTotals(output: string): Totals {
  return {
    passed: count(output, "pass"),
    failed: count(output, "fail"),
    skipped: count(output, "skip") + count(output, "todo"),
  };
}

function count(output: string, word: string): number {
  const lines = [...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))];
  return Number(lines.at(-1)?.[1] ?? 0);
}
