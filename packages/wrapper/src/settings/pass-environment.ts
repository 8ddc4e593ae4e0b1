import { complain, type Reading } from "./reading.ts";
import { resemblesWrapperVariable } from "./wrapper-variable.ts";

const neverPassed: ReadonlyMap<string, string> = new Map([
  ["VAULT_TOKEN", "the wrapper wipes it from memory before anything else"],
  ["SVC_SECRET_FD", "the wrapper sets it itself where it applies"],
]);

/** Reads the names of the wrapper's own variables that the program gets nevertheless. */
export function readPassEnvironment(reading: Reading): readonly string[] {
  const names = [...new Set(reading.values.passEnvironment ?? [])];
  for (const name of names) {
    const hint = neverPassed.get(name) ?? passedAnyway(name);
    if (hint === undefined) continue;
    const variable = "SVC_PASS_ENV";
    complain(reading, { variable, wanted: `a list without ${name}`, found: "it is there", hint });
  }
  return names;
}

/**
 * The wrapper takes nothing else away: a name unlike its own is most likely a typing error. Names with
 * its prefixes are accepted: the list may name all that the program needs.
 */
function passedAnyway(name: string): string | undefined {
  return resemblesWrapperVariable(name)
    ? undefined
    : "it is not the wrapper's: the program gets it anyway";
}
