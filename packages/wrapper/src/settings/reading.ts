import { type ParsedVariables, type ProblemParts, problem } from "@svc/settings";
import { type WrapperTable, wrapperVariables } from "./variables.ts";

/** A row of the wrapper's table. */
export type WrapperKey = keyof WrapperTable;

/** The parsed variables, while the rules between them add their problems and warnings. */
export type Reading = Omit<ParsedVariables<WrapperTable>, "problems"> & {
  readonly problems: ReturnType<typeof problem>[];
  readonly warnings: string[];
};

/** Adds a problem and gives undefined, the value of a setting with a problem. */
export function complain(reading: Reading, parts: ProblemParts): undefined {
  reading.problems.push(problem(parts));
  return undefined;
}

/** True when a text was given for a row, right or wrong. */
export function isGiven({ given }: Reading, key: WrapperKey): boolean {
  return given.has(key);
}

/** True when a row has a problem of its own already. */
export function hasFailed({ failed }: Reading, key: WrapperKey): boolean {
  return failed.has(key);
}

/** How a message names a row: the place its text came from, else its variable. */
export function labelOf({ given }: Reading, key: WrapperKey, name: string): string {
  return given.get(key)?.label ?? name;
}

/** The object without the properties that are undefined, so that it is the same after JSON. */
export function present<T extends object>(
  properties: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
  // Only properties of `properties` are left, and none of them is undefined.
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

/** Adds a problem when one of two variables that make a pair is set without the other. */
export function requireBothOrNone(reading: Reading, one: WrapperKey, other: WrapperKey): void {
  if (isGiven(reading, one) === isGiven(reading, other)) return;
  const [set, missing] = isGiven(reading, one) ? [one, other] : [other, one];
  complain(reading, {
    variable: wrapperVariables[missing].name,
    wanted: `set together with ${wrapperVariables[set].name}`,
    found: "it is not set",
  });
}
