/** A fuzz target. */
export interface FuzzTarget {
  /** The import path of its package. */
  readonly packageName: string;
  readonly name: string;
}

/**
 * Reads `go test -list ^Fuzz -json ./...`: every line that is a name is one. Packages come in any
 * order.
 */
export function fuzzTargets(output: string): readonly FuzzTarget[] {
  const targets = output.split("\n").flatMap((line) => {
    const event: { Package?: string; Output?: string } = line.startsWith("{")
      ? JSON.parse(line)
      : {};
    const { Package: packageName, Output: said = "" } = event;
    const name = /^(Fuzz[\p{L}\p{Nd}_]*)\n$/u.exec(said)?.[1];
    return packageName === undefined || name === undefined ? [] : [{ packageName, name }];
  });
  return targets.toSorted((a, b) => (a.packageName < b.packageName ? -1 : 1));
}
