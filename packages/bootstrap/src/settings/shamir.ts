import type { BootstrapSettings } from "./bootstrap-settings.ts";
import { complain, type Reading } from "./reading.ts";

const variable = "BOOTSTRAP_SHAMIR_THRESHOLD";

/**
 * Reads into how many shares the key is split and how many of them unseal. The server refuses a
 * threshold of 1 with several shares: each of them would be the whole key.
 */
export function readShamir(reading: Reading): BootstrapSettings["shamir"] {
  const { shares, threshold } = reading.values;
  const shamir = { shares, threshold };
  if (reading.failed.has("shares") || reading.failed.has("threshold")) return shamir;
  const wanted = wantedThreshold(shamir);
  if (wanted !== undefined) {
    const label = reading.given.get("threshold")?.label ?? variable;
    const byDefault = reading.given.has("threshold") ? "" : " by default";
    complain(reading, { variable, label, wanted, found: `it is ${threshold}${byDefault}` });
  } else if (shares === 1) {
    reading.warnings.push(
      "BOOTSTRAP_SHAMIR_SHARES: 1 share is the whole key: who has it can unseal alone",
    );
  }
  return shamir;
}

function wantedThreshold({ shares, threshold }: BootstrapSettings["shamir"]): string | undefined {
  if (shares === 1) return threshold === 1 ? undefined : "1 where there is one share";
  if (threshold > shares) return `at most the number of shares, ${shares}`;
  return threshold === 1 ? `at least 2 where there are ${shares} shares` : undefined;
}
