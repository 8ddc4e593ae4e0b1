import { isRemotePlaintext } from "@svc/settings";
import { requireBothOrNone } from "./both-or-none.ts";
import { present, type Reading } from "./reading.ts";
import type { VaultTls } from "./wrapper-settings.ts";

/** Reads how the vault's certificate is verified; warns about insecure settings. */
export function readVaultTls(reading: Reading): VaultTls {
  const { values, warnings } = reading;
  const { skipVerify, caCertPath, clientCertPath, clientKeyPath } = values;
  requireBothOrNone(reading, "clientCertPath", "clientKeyPath");
  if (skipVerify) {
    warnings.push("VAULT_SKIP_VERIFY: the vault's certificate is not verified: development only");
  }
  if (isRemotePlaintext(values.vaultAddress)) {
    warnings.push("VAULT_ADDR: http sends the token and every secret over the network unencrypted");
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
