import type { Counts } from "./counted-code.ts";

/** The lines of a file at which statements begin, and those of which none ran. */
export interface FileLines {
  readonly path: string;
  readonly lines: number;
  readonly uncovered: readonly number[];
}

/** Lines of many files. */
export interface Total {
  readonly lines: number;
  readonly covered: number;
  readonly percent: number;
}

/** Pure: the covered lines of a file, by the counts of all processes that have loaded it. */
export function coveredLines(
  { path, lines }: { readonly path: string; readonly lines: readonly number[] },
  counts: readonly Counts[],
): FileLines {
  const own = counts.map((one) => one[path]?.s ?? {});
  const ran = new Set(lines.filter((_, index) => own.some((s) => (s[index] ?? 0) > 0)));
  const all = [...new Set(lines)].sort((one, other) => one - other);
  return { path, lines: all.length, uncovered: all.filter((line) => !ran.has(line)) };
}

/** Pure: the sum of files. A package without a statement is covered. */
export function totalOf(files: readonly FileLines[]): Total {
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const covered = files.reduce((sum, file) => sum + file.lines - file.uncovered.length, 0);
  return { lines, covered, percent: lines === 0 ? 100 : (100 * covered) / lines };
}

/** Pure: lines as ranges: `3-5, 9`. */
export function rangesOf(lines: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const line of lines) {
    const open = ranges.at(-1);
    if (open?.[1] === line - 1) open[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(", ");
}
