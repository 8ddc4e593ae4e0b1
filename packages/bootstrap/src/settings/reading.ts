import { type ParsedVariables, type Problem, type ProblemParts, problem } from "@svc/settings";
import type { BootstrapTable, StatusTable } from "./variables.ts";

/** The parsed variables of a table, while the rules between them add their problems and warnings. */
export type ReadingOf<Table extends StatusTable> = Omit<ParsedVariables<Table>, "problems"> & {
  readonly problems: Problem[];
  readonly warnings: string[];
};

/** Of `svc secretstore init`. */
export type Reading = ReadingOf<BootstrapTable>;

/** Adds a problem. */
export function complain(reading: Pick<Reading, "problems">, parts: ProblemParts): void {
  reading.problems.push(problem(parts));
}

/** Complains where one of two rows that belong together is set without the other. */
export function requirePair(
  reading: Pick<Reading, "problems" | "given">,
  ...pair: readonly [RowName, RowName]
): void {
  const [missing, ...others] = pair.filter(([key]) => !reading.given.has(key));
  if (missing === undefined || others.length > 0) return;
  const set = pair.find((row) => row !== missing)?.[1];
  const wanted = `set together with ${set}`;
  complain(reading, { variable: missing[1], wanted, found: "it is not set" });
}

/** The key of a row in its table, and its variable. */
type RowName = readonly [key: string, variable: string];

/** The object without the properties that are undefined, so that it is the same after JSON. */
export function present<T extends object>(
  properties: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
  // Only properties of `properties` are left, and none of them is undefined.
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
