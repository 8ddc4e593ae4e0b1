import { isRemotePlaintext } from "@svc/settings";
import type { StoreTls } from "./bootstrap-settings.ts";
import { present, type ReadingOf, requirePair } from "./reading.ts";
import type { StatusTable } from "./variables.ts";

/**
 * Reads how the store's certificate is verified; warns about settings that expose the key shares.
 */
export function readStoreTls(reading: ReadingOf<StatusTable>): StoreTls {
  const { values, warnings } = reading;
  const { skipVerify, caCertPath, clientCertPath, clientKeyPath } = values;
  requireClientPair(reading);
  if (skipVerify) {
    warnings.push("VAULT_SKIP_VERIFY: the store's certificate is not verified: development only");
  }
  if (isRemotePlaintext(values.storeAddress)) {
    warnings.push(
      "STORE_ADDR: http sends the key shares and the root token over the network unencrypted",
    );
  }
  if (caCertPath !== undefined && values.caPath !== undefined) {
    warnings.push("VAULT_CAPATH: has no effect: VAULT_CACERT is set");
  }
  const caPath = caCertPath === undefined ? values.caPath : undefined;
  const serverName = values.tlsServerName;
  return {
    skipVerify,
    ...present({ caCertPath, caPath, clientCertPath, clientKeyPath, serverName }),
  };
}

function requireClientPair(reading: ReadingOf<StatusTable>): void {
  requirePair(
    reading,
    ["clientCertPath", "VAULT_CLIENT_CERT"],
    ["clientKeyPath", "VAULT_CLIENT_KEY"],
  );
}
