/** A place in a file: lines and columns count from 0. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** A small change of a file. */
export interface Mutant {
  /** From the root. */
  readonly path: string;
  readonly start: Place;
  readonly end: Place;
  readonly replacement: string;
}

/** Files of these folders act on the world; the others decide. */
const effects =
  /^packages\/wrapper\/src\/(?:agent|courier|lifecycle|once-ready|processes|supervisor|tracer)\//;

/** Pure: whether a file acts or decides. */
export function kindOf(path: string): "effect" | "pure" {
  return effects.test(path) ? "effect" : "pure";
}

/** Pure: a sample that the seed chooses. A change of one file leaves the choice among others. */
export function sampleOf(
  mutants: readonly Mutant[],
  size: number,
  seed: number,
): readonly Mutant[] {
  const rank = ({ path, start, replacement }: Mutant) =>
    Bun.hash(`${path} ${start.line} ${start.column} ${replacement}`, seed);
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

/** Pure: the text of the file with the change. */
export function mutated(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, offsetOf(text, start)) + replacement + text.slice(offsetOf(text, end));
}

/** Pure: the place, the code and its change, for people. */
export function textOf(mutant: Mutant, text: string): string {
  const { path, start, end, replacement } = mutant;
  const original = text.slice(offsetOf(text, start), offsetOf(text, end));
  return `${path}:${start.line + 1}: ${shortened(original)} → ${shortened(replacement)}`;
}

function offsetOf(text: string, { line, column }: Place): number {
  const before = text.split("\n").slice(0, line);
  return before.reduce((sum, { length }) => sum + length + 1, 0) + column;
}

function shortened(code: string): string {
  const one = code.replaceAll(/\s+/g, " ");
  return one.length > 60 ? `${one.slice(0, 57)}…` : one;
}
