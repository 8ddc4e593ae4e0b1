import { isRemotePlaintext } from "./is-remote-plaintext.ts";
import type { Problem } from "./problem.ts";
import { present, requirePair } from "./reading.ts";
import type { Values } from "./variables.ts";
import type { vaultTlsVariables } from "./vault-tls-variables.ts";

/** How a server's certificate is verified, and which one is shown to it. */
export interface ServerTls {
  readonly skipVerify: boolean;
  /** A file of CA certificates; if it is set, caPath is not. */
  readonly caCertPath?: string;
  /** PEM text; if it is set, the two others are not. */
  readonly caCertBytes?: string;
  /** A directory of CA certificates. */
  readonly caPath?: string;
  readonly clientCertPath?: string;
  readonly clientKeyPath?: string;
  readonly serverName?: string;
}

/**
 * The rows of `vaultTlsVariables`, while the rules between them add their problems and warnings.
 */
export interface TlsReading {
  readonly values: Values<ReturnType<typeof vaultTlsVariables>>;
  readonly given: ReadonlyMap<string, unknown>;
  readonly problems: Problem[];
  readonly warnings: string[];
}

/** The server, for warnings. */
export interface TlsServer {
  /** As warnings name it: `vault`. */
  readonly name: string;
  readonly address: string | undefined;
  readonly addressVariable: string;
  /** The secrets that are sent there: `the token and every secret`. */
  readonly sent: string;
}

/** Reads the TLS settings of a server; warns about insecure ones. */
export function readVaultTls(reading: TlsReading, server: TlsServer): ServerTls {
  const { values, warnings } = reading;
  const { skipVerify, clientCertPath, clientKeyPath } = values;
  const key = ["clientKeyPath", "VAULT_CLIENT_KEY"] as const;
  requirePair(reading, ["clientCertPath", "VAULT_CLIENT_CERT"], key);
  if (skipVerify) {
    warnings.push(
      `VAULT_SKIP_VERIFY: the ${server.name}'s certificate is not verified: development only`,
    );
  }
  if (isRemotePlaintext(server.address)) {
    const { addressVariable, sent } = server;
    warnings.push(`${addressVariable}: http sends ${sent} over the network unencrypted`);
  }
  const serverName = values.tlsServerName;
  return {
    skipVerify,
    ...authorities(values, warnings),
    ...present({ clientCertPath, clientKeyPath, serverName }),
  };
}

/** The first of the three places, as for Vault's own client; the others have no effect. */
function authorities(
  { caCertPath, caCertBytes, caPath }: TlsReading["values"],
  warnings: string[],
): Pick<ServerTls, "caCertPath" | "caCertBytes" | "caPath"> {
  const places = [
    { name: "VAULT_CACERT", value: present({ caCertPath }) },
    { name: "VAULT_CACERT_BYTES", value: present({ caCertBytes }) },
    { name: "VAULT_CAPATH", value: present({ caPath }) },
  ].filter(({ value }) => Object.keys(value).length > 0);
  const [first, ...others] = places;
  for (const { name } of others) {
    warnings.push(`${name}: has no effect: ${first?.name} is set`);
  }
  return first?.value ?? {};
}
