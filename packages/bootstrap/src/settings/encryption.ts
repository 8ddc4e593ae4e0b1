import type { EncryptionSettings } from "./bootstrap-settings.ts";
import { complain, type Reading } from "./reading.ts";
import { bootstrapVariables } from "./variables.ts";

type Row = "pgpKeys" | "ageRecipients" | "rootTokenPgpKey" | "rootTokenAgeRecipient";

/** Reads whom the shares and the root token are encrypted to; warns where that protects little. */
export function readEncryption(reading: Reading): EncryptionSettings {
  refuseBoth(reading, "pgpKeys", "ageRecipients");
  refuseBoth(reading, "rootTokenPgpKey", "rootTokenAgeRecipient");
  requireSharesOfPgp(reading);
  for (const row of ["pgpKeys", "ageRecipients"] as const) {
    requireOneForEach(reading, row);
    warnOfRepeated(reading, row);
  }
  warnOfHalf(reading);
  return { shares: sharesOf(reading), rootToken: rootTokenOf(reading) };
}

function sharesOf({ values: { pgpKeys, ageRecipients } }: Reading): EncryptionSettings["shares"] {
  if (pgpKeys !== undefined) return { cipher: "pgp", keyPaths: pgpKeys };
  if (ageRecipients !== undefined) return { cipher: "age", recipients: ageRecipients };
  return { cipher: "none" };
}

function rootTokenOf({ values }: Reading): EncryptionSettings["rootToken"] {
  const { rootTokenPgpKey, rootTokenAgeRecipient } = values;
  if (rootTokenPgpKey !== undefined) return { cipher: "pgp", keyPath: rootTokenPgpKey };
  if (rootTokenAgeRecipient !== undefined) {
    return { cipher: "age", recipient: rootTokenAgeRecipient };
  }
  return { cipher: "none" };
}

function refuseBoth(reading: Reading, first: Row, second: Row): void {
  if (!reading.given.has(first) || !reading.given.has(second)) return;
  const wanted = `left out where ${nameOf(first)} is set`;
  complainAbout(reading, second, { wanted, found: "both are set" });
}

/** A key that the store cannot use would show only after its initialisation, and cost all keys. */
function requireSharesOfPgp(reading: Reading): void {
  if (!reading.given.has("rootTokenPgpKey") || reading.given.has("pgpKeys")) return;
  const found =
    "the store tries the keys of shares before it initialises itself, and this one after";
  const wanted = `one of the keys of ${nameOf("pgpKeys")}`;
  complainAbout(reading, "rootTokenPgpKey", { wanted, found });
}

function requireOneForEach(reading: Reading, row: "pgpKeys" | "ageRecipients"): void {
  const { shares, [row]: list } = reading.values;
  if (list === undefined || reading.failed.has(row) || reading.failed.has("shares")) return;
  if (list.length === shares) return;
  const wanted = shares === 1 ? "one, for the one share" : `one for each of the ${shares} shares`;
  const found = list.length === 1 ? "there is one" : `there are ${list.length}`;
  complainAbout(reading, row, { wanted, found });
}

function warnOfRepeated({ values, warnings }: Reading, row: "pgpKeys" | "ageRecipients"): void {
  const list = values[row] ?? [];
  if (new Set(list).size === list.length) return;
  warnings.push(`${nameOf(row)}: one is there more than once: who has its key has several shares`);
}

/** Either half of the keys opens the other's data. */
function warnOfHalf(reading: Reading): void {
  const { cipher: shares } = sharesOf(reading);
  const { cipher: rootToken } = rootTokenOf(reading);
  if (shares === "none" && rootToken !== "none") {
    const row = rootToken === "pgp" ? "rootTokenPgpKey" : "rootTokenAgeRecipient";
    reading.warnings.push(
      `${nameOf(row)}: the shares are not encrypted: who has them can make a new root token`,
    );
  }
  if (shares !== "none" && rootToken === "none" && !reading.values.revokeRoot) {
    const row = shares === "pgp" ? "rootTokenPgpKey" : "rootTokenAgeRecipient";
    reading.warnings.push(
      `${nameOf(row)}: is not set: the root token is stored unencrypted, and stays without BOOTSTRAP_REVOKE_ROOT`,
    );
  }
}

function complainAbout(
  reading: Reading,
  row: Row,
  parts: { readonly wanted: string; readonly found: string },
): void {
  const label = reading.given.get(row)?.label ?? nameOf(row);
  complain(reading, { variable: nameOf(row), label, ...parts });
}

function nameOf(row: Row): string {
  return bootstrapVariables[row].name;
}
