import { parseFilePath, parseGoBoolean, parsePlainText, variable } from "@svc/settings";

const group = "TLS to the store";

/** How the store's certificate is verified, for its service and for each of its pods. */
export const tlsVariables = {
  skipVerify: variable({
    name: "VAULT_SKIP_VERIFY",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "Turns the verification of the store's certificate off. Development only.",
  }),
  caCertPath: variable({
    name: "VAULT_CACERT",
    group,
    type: "file",
    parse: parseFilePath,
    meaning: "PEM file of the CA certificates to verify the store with. Goes before VAULT_CAPATH.",
  }),
  caPath: variable({
    name: "VAULT_CAPATH",
    group,
    type: "directory",
    parse: parseFilePath,
    meaning: "Directory of PEM files of CA certificates to verify the store with.",
  }),
  clientCertPath: variable({
    name: "VAULT_CLIENT_CERT",
    group,
    type: "file",
    requiredness: { conditional: "Conditional: together with VAULT_CLIENT_KEY" },
    parse: parseFilePath,
    meaning: "PEM file of the certificate that is shown to the store.",
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
    type: "text",
    parse: parsePlainText,
    meaning:
      "Name to ask for and to expect in the certificates of the service and of the pods, where it is not the address's.",
  }),
};
