import { complain, isGiven, type Reading, type WrapperKey } from "./reading.ts";
import { wrapperVariables } from "./variables.ts";

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
