import { requireBothOrNone } from "./both-or-none.ts";
import { complain, isGiven, present, type Reading } from "./reading.ts";
import type { HealthSettings } from "./wrapper-settings.ts";

/** Reads where the health/unseal server listens and whether it uses TLS. */
export function readHealth(reading: Reading): HealthSettings {
  const { healthAddress, brokerCertPath, brokerKeyPath, brokerClientCaPath } = reading.values;
  requireBothOrNone(reading, "brokerCertPath", "brokerKeyPath");
  const withoutTls = !isGiven(reading, "brokerCertPath") && !isGiven(reading, "brokerKeyPath");
  if (isGiven(reading, "brokerClientCaPath") && withoutTls) {
    // Clients would be let in unverified although somebody asked for their certificates.
    complain(reading, {
      variable: "SVC_BROKER_TLS_CA",
      wanted: "set together with SVC_BROKER_TLS_CERT and SVC_BROKER_TLS_KEY",
      found: "they are not set",
    });
  }
  const { host, port } = healthAddress;
  if (brokerCertPath === undefined || brokerKeyPath === undefined) return { host, port };
  const clientCa = present({ clientCaPath: brokerClientCaPath });
  return { host, port, tls: { certPath: brokerCertPath, keyPath: brokerKeyPath, ...clientCa } };
}
