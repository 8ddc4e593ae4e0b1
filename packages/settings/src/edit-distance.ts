/**
 * The number of single-character insertions, removals, replacements and swaps of neighbours that
 * turn one text into the other (optimal string alignment). Counts UTF-16 code units.
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = nextRow({ one, other, row, last, beforeLast });
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}

interface RowInput {
  readonly one: string;
  readonly other: string;
  readonly row: number;
  readonly last: readonly number[];
  readonly beforeLast: readonly number[];
}

function nextRow({ one, other, row, last, beforeLast }: RowInput): readonly number[] {
  const current = [row];
  for (let column = 1; column <= other.length; column += 1) {
    const replaced = one[row - 1] === other[column - 1] ? 0 : 1;
    const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
    current.push(
      Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + replaced,
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      ),
    );
  }
  return current;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
