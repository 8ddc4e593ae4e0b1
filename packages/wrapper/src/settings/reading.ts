import { type Reading as ReadingOf, requirePair } from "@svc/settings";
import { type WrapperTable, wrapperVariables } from "./variables.ts";

/** A row of the wrapper's table. */
export type WrapperKey = keyof WrapperTable;

/** The parsed variables, while the rules between them add their problems and warnings. */
export type Reading = ReadingOf<WrapperTable>;

/** True when a text was given for a row, right or wrong. */
export function isGiven({ given }: Reading, key: WrapperKey): boolean {
  return given.has(key);
}

/** True when a row has a problem already. */
export function hasFailed({ failed }: Reading, key: WrapperKey): boolean {
  return failed.has(key);
}

/** How a message names a row: the place its text came from, else its variable. */
export function labelOf({ given }: Reading, key: WrapperKey, name: string): string {
  return given.get(key)?.label ?? name;
}

/** Complains if one of two variables that make a pair is set without the other. */
export function requireBothOrNone(reading: Reading, one: WrapperKey, other: WrapperKey): void {
  const row = (key: WrapperKey) => [key, wrapperVariables[key].name] as const;
  requirePair(reading, row(one), row(other));
}
