import { complain } from "@svc/settings";
import { isGiven, type Reading } from "./reading.ts";
import { wrapperVariables } from "./variables.ts";
import type { PermitSettings } from "./wrapper-settings.ts";

const beside = ["permitsCaBytes", "permitsTokenPath"] as const;

/** The way to permits: all three settings, or nothing. */
export function readPermits(reading: Reading): PermitSettings | undefined {
  const { permitsAddress: address, permitsCaBytes, permitsTokenPath } = reading.values;
  const { name } = wrapperVariables.permitsAddress;
  const hasAddress = isGiven(reading, "permitsAddress");
  for (const key of beside) {
    if (isGiven(reading, key) === hasAddress) continue;
    const { name: variable } = wrapperVariables[key];
    const wanted = hasAddress ? `set together with ${name}` : `left out without ${name}`;
    complain(reading, { variable, wanted, found: hasAddress ? "it is not set" : "it is set" });
  }
  if (address === undefined || permitsCaBytes === undefined) return undefined;
  if (permitsTokenPath === undefined) return undefined;
  return { address, caPem: permitsCaBytes, tokenPath: permitsTokenPath };
}
