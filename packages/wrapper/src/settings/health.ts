import { requireBothOrNone } from "./both-or-none.ts";
import { complain, isGiven, present, type Reading } from "./reading.ts";
import { wrapperVariables } from "./variables.ts";
import type { HealthSettings, VaultAuth } from "./wrapper-settings.ts";

/**
 * Reads where the health/unseal server listens and whether it uses TLS; undefined where none is wanted.
 *
 * @param auth a wrapper that waits for a token needs the server.
 */
export function readHealth(
  reading: Reading,
  auth: VaultAuth | undefined,
): HealthSettings | undefined {
  const { healthAddress, brokerCertPath, brokerKeyPath, brokerClientCaPath } = reading.values;
  requireBothOrNone(reading, "brokerCertPath", "brokerKeyPath");
  const withoutTls = !isGiven(reading, "brokerCertPath") && !isGiven(reading, "brokerKeyPath");
  if (isGiven(reading, "brokerClientCaPath") && withoutTls) {
    // Clients would be let in unverified although the settings ask for their certificates.
    complain(reading, {
      variable: "SVC_BROKER_TLS_CA",
      wanted: "set together with SVC_BROKER_TLS_CERT and SVC_BROKER_TLS_KEY",
      found: "they are not set",
    });
  }
  if (healthAddress === "off") return readOff(reading, auth);
  const { host, port } = healthAddress;
  const at = { host, port, ...present({ nodeIp: reading.values.agentNodeIp }) };
  if (brokerCertPath === undefined || brokerKeyPath === undefined) return at;
  const clientCa = present({ clientCaPath: brokerClientCaPath });
  return { ...at, tls: { certPath: brokerCertPath, keyPath: brokerKeyPath, ...clientCa } };
}

/** Nothing listens: settings that need the server contradict that. */
function readOff(reading: Reading, auth: VaultAuth | undefined): undefined {
  for (const key of ["brokerCertPath", "brokerKeyPath", "brokerClientCaPath"] as const) {
    if (!isGiven(reading, key)) continue;
    const { name: variable } = wrapperVariables[key];
    complain(reading, { variable, wanted: "left out", found: "HEALTH_ADDR is off" });
  }
  if (auth?.method !== "token" || auth.source.kind !== "unseal") return undefined;
  return complain(reading, {
    variable: "HEALTH_ADDR",
    wanted: "an address where POST /v1/unseal can bring the token",
    found: "it is off, and no token is set",
    hint: "set VAULT_TOKEN or VAULT_TOKEN_FILE, or let the server listen",
  });
}
