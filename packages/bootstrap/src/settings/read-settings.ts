import {
  complain,
  present,
  type Reading as ReadingOf,
  readVaultTls,
  requirePair,
  type ServerTls,
} from "@svc/settings";
import type {
  BootstrapSettings,
  EncryptionSettings,
  HintsRole,
  ReviewSettings,
  RoleSettings,
  StatusSettings,
} from "./bootstrap-settings.ts";
import type { Reading } from "./reading.ts";
import { bootstrapVariables, type StatusTable } from "./variables.ts";

/** Reads how the store's certificate is verified; warns about insecure settings. */
export function readStoreTls(reading: ReadingOf<StatusTable>): ServerTls {
  return readVaultTls(reading, {
    name: "store",
    address: reading.values.storeAddress,
    addressVariable: "STORE_ADDR",
    sent: "the key shares and the root token",
  });
}

/** Reads the settings of every command; undefined if a required one is missing. */
export function readStore(reading: ReadingOf<StatusTable>): StatusSettings | undefined {
  const { storeAddress: address, namespace, releaseName, podPrefix, ...values } = reading.values;
  const tls = readStoreTls(reading);
  if (address === undefined || namespace === undefined || releaseName === undefined) {
    return undefined;
  }
  const { outputSecret, kubeconfig, context, waitMs, output = "text" } = values;
  const store = { address, namespace, releaseName, ...present({ podPrefix }), tls };
  return { store, outputSecret, cluster: present({ kubeconfig, context }), waitMs, output };
}

/** Reads the role that wrappers log in with; warns if it lets in more than you may have meant. */
export function readRole({ values, warnings }: Reading): RoleSettings {
  const { boundNames, boundNamespaces, roleAudience } = values;
  const isForAll = boundNames[0] === "*" && boundNamespaces[0] === "*";
  if (isForAll && values.policyScope === "all") {
    warnings.push(
      "BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES: * with any name lets every pod of the cluster read every secret: set BOOTSTRAP_POLICY_SCOPE to service-account, or name who may",
    );
  }
  if (roleAudience === undefined) {
    warnings.push(
      "BOOTSTRAP_ROLE_AUDIENCE: is not set: a token that was made for another service can log in too",
    );
  }
  return {
    name: values.roleName,
    boundNames,
    boundNamespaces,
    ttlSeconds: values.roleTtlSeconds,
    tokenType: values.roleTokenType,
    ...present({ audience: roleAudience }),
  };
}

/** Reads the role for hints, which may not take the place of the wrappers' role or policy. */
export function readHintsRole(reading: Reading): HintsRole | undefined {
  const { hintsRole: name, hintsAccount: account, roleName, policyName } = reading.values;
  if (name === undefined) return undefined;
  if (name === roleName || name === policyName) {
    const wanted = `another name than ${nameOf("roleName")} and ${nameOf("policyName")}`;
    complainAbout(reading, "hintsRole", { wanted, found: `it is ${name}` });
  }
  return { name, account };
}

/** Reads how the store has tokens reviewed. */
export function readReview(reading: Reading): ReviewSettings {
  requirePair(
    reading,
    ["kubernetesCaCertPath", "BOOTSTRAP_KUBERNETES_CA_CERT"],
    ["reviewerTokenPath", "BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE"],
  );
  const { kubernetesHost: host, kubernetesCaCertPath, reviewerTokenPath } = reading.values;
  if (kubernetesCaCertPath === undefined || reviewerTokenPath === undefined) return { host };
  return { host, files: { caCertPath: kubernetesCaCertPath, reviewerTokenPath } };
}

const thresholdName = "BOOTSTRAP_SHAMIR_THRESHOLD";

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
    const label = reading.given.get("threshold")?.label ?? thresholdName;
    const byDefault = reading.given.has("threshold") ? "" : " by default";
    complain(reading, {
      variable: thresholdName,
      label,
      wanted,
      found: `it is ${threshold}${byDefault}`,
    });
  } else if (shares === 1) {
    reading.warnings.push(
      "BOOTSTRAP_SHAMIR_SHARES: 1 share is the whole key: its holder can unseal alone",
    );
  }
  return shamir;
}

function wantedThreshold({ shares, threshold }: BootstrapSettings["shamir"]): string | undefined {
  if (shares === 1) return threshold === 1 ? undefined : "1 if there is one share";
  if (threshold > shares) return `at most the number of shares, ${shares}`;
  return threshold === 1 ? `at least 2 if there are ${shares} shares` : undefined;
}

type Row = keyof typeof bootstrapVariables;

/**
 * Reads the recipients of the shares and the root token. Warns if the encryption protects little.
 */
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
  const wanted = `left out if ${nameOf(first)} is set`;
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
  warnings.push(
    `${nameOf(row)}: one is there more than once: the holder of its key has several shares`,
  );
}

/** Either half of the keys opens the other's data. */
function warnOfHalf(reading: Reading): void {
  const { cipher: shares } = sharesOf(reading);
  const { cipher: rootToken } = rootTokenOf(reading);
  if (shares === "none" && rootToken !== "none") {
    const row = rootToken === "pgp" ? "rootTokenPgpKey" : "rootTokenAgeRecipient";
    reading.warnings.push(
      `${nameOf(row)}: the shares are not encrypted: their holders can make a new root token`,
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
