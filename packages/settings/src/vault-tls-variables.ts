import { parseFilePath } from "./file-path.ts";
import { parseGoBoolean } from "./go-boolean.ts";
import { parsePemCertificates } from "./pem-certificates.ts";
import { parseServerName } from "./server-name.ts";
import { variable } from "./variable.ts";

/**
 * The rows of how a server's certificate is verified and which one is shown to it, with the names
 * that Vault's own clients read.
 *
 * @param group the heading of the rows
 * @param server how the meanings name the server, for example `vault`
 */
export function vaultTlsVariables(group: string, server: string) {
  return {
    skipVerify: variable({
      name: "VAULT_SKIP_VERIFY",
      group,
      type: "boolean",
      default: "false",
      parse: parseGoBoolean,
      meaning: `Turns the verification of the ${server}'s certificate off. Development only.`,
    }),
    caCertPath: variable({
      name: "VAULT_CACERT",
      group,
      type: "file",
      parse: parseFilePath,
      meaning: `PEM file of the CA certificates to verify the ${server} with. Takes precedence over VAULT_CAPATH.`,
    }),
    caCertBytes: variable({
      name: "VAULT_CACERT_BYTES",
      group,
      type: "PEM text",
      parse: parsePemCertificates,
      meaning: `CA certificates to verify the ${server} with, as PEM text. VAULT_CACERT takes precedence over it, and it over VAULT_CAPATH.`,
    }),
    caPath: variable({
      name: "VAULT_CAPATH",
      group,
      type: "directory",
      parse: parseFilePath,
      meaning: `Directory of PEM files of CA certificates to verify the ${server} with.`,
    }),
    clientCertPath: variable({
      name: "VAULT_CLIENT_CERT",
      group,
      type: "file",
      requiredness: { conditional: "Conditional: together with VAULT_CLIENT_KEY" },
      parse: parseFilePath,
      meaning: `PEM file of the certificate that is shown to the ${server}.`,
    }),
    clientKeyPath: variable({
      name: "VAULT_CLIENT_KEY",
      group,
      type: "file",
      requiredness: { conditional: "Conditional: together with VAULT_CLIENT_CERT" },
      parse: parseFilePath,
      meaning: "PEM file of the private key of VAULT_CLIENT_CERT.",
    }),
    tlsServerName: variable({
      name: "VAULT_TLS_SERVER_NAME",
      group,
      type: "host name",
      parse: parseServerName,
      meaning: `Name to ask for and to expect in certificates of the ${server}, if it is not the address's.`,
    }),
  };
}
