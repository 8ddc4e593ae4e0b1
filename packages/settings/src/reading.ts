import { type Problem, type ProblemParts, problem } from "./problem.ts";
import type { VariableTable } from "./variable.ts";
import type { ParsedVariables } from "./variables.ts";

/** The parsed rows of a table, while the rules between them add their problems and warnings. */
export type Reading<Table extends VariableTable> = Omit<ParsedVariables<Table>, "problems"> & {
  readonly problems: Problem[];
  readonly warnings: string[];
};

/** Adds a problem and gives undefined, the value of a setting with a problem. */
export function complain(
  reading: { readonly problems: Problem[] },
  parts: ProblemParts,
): undefined {
  reading.problems.push(problem(parts));
  return undefined;
}

/** The key of a row in its table, and its variable. */
export type RowName = readonly [key: string, variable: string];

/** Complains if one of two rows that belong together is set without the other. */
export function requirePair(
  reading: { readonly problems: Problem[]; readonly given: ReadonlyMap<string, unknown> },
  ...pair: readonly [RowName, RowName]
): void {
  const [missing, ...others] = pair.filter(([key]) => !reading.given.has(key));
  if (missing === undefined || others.length > 0) return;
  const set = pair.find((row) => row !== missing)?.[1];
  const wanted = `set together with ${set}`;
  complain(reading, { variable: missing[1], wanted, found: "it is not set" });
}

/** The object without the properties that are undefined, so that it is the same after JSON. */
export function present<T extends object>(
  properties: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
  // Only properties of `properties` are left, and none of them is undefined.
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
