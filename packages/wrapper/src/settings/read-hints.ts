import { complain } from "@svc/settings";
import { isGiven, type Reading } from "./reading.ts";
import type { HintSettings, VaultSettings } from "./wrapper-settings.ts";

/**
 * The operator's hints: only with the way to the operator, a port for its answers, and a vault that
 * they are about.
 */
export function readHints(
  reading: Reading,
  vault: VaultSettings | undefined,
): HintSettings | undefined {
  const { hints, hintedIntervalMs, staleAfterMs, renewalIntervalMs, healthAddress } =
    reading.values;
  if (!hints) return undefined;
  const variable = "SVC_HINTS";
  if (!isGiven(reading, "permitsAddress")) {
    const wanted = "set together with SVC_PERMITS_ADDR";
    complain(reading, { variable, wanted, found: "that is not set" });
  }
  if (healthAddress === "off") {
    // The operator sets the one, and a command in the container may set the other.
    reading.warnings.push(`${variable}: has no effect: HEALTH_ADDR is off`);
    return undefined;
  }
  // The operator sets it for all pods.
  if (vault === undefined) return undefined;
  const calmMs = Math.min(hintedIntervalMs, staleAfterMs / 2);
  return { intervalMs: Math.max(calmMs, renewalIntervalMs) };
}
