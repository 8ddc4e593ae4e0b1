import { type ParsedVariables, type Problem, type ProblemParts, problem } from "@svc/settings";
import type { BootstrapTable } from "./variables.ts";

/** The parsed variables, while the rules between them add their problems and warnings. */
export type Reading = Omit<ParsedVariables<BootstrapTable>, "problems"> & {
  readonly problems: Problem[];
  readonly warnings: string[];
};

/** Adds a problem. */
export function complain(reading: Reading, parts: ProblemParts): void {
  reading.problems.push(problem(parts));
}

/** The object without the properties that are undefined, so that it is the same after JSON. */
export function present<T extends object>(
  properties: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
  // Only properties of `properties` are left, and none of them is undefined.
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
