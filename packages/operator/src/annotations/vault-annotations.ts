import {
  parseAuthPath,
  parseCertificates,
  parseFileMap,
  parseKvPath,
  parseList,
  parseLoginMethod,
  parsePlainText,
  parseServerName,
  parseServerUrl,
  parseSparseEnvMap,
  parseVaultNamespace,
  variable,
} from "@svc/settings";
import { parseObjectName, parseSecretKey } from "./parse-names.ts";
import { parseTrueOrFalse } from "./parse-values.ts";

const vault = "Vault connection";
const secrets = "Secret configuration";
const broker = "Unsealing";

/** The place of the secrets, and the identity that asks for them. */
export const vaultAnnotations = {
  vaultAddress: variable({
    name: "vault-address",
    group: vault,
    type: "URL",
    requiredness: { conditional: "Yes, unless the SvcConfig says it or every secret is a file" },
    parse: parseServerUrl,
    meaning:
      "Address of the vault with scheme and port. Plain http needs the operator's permission by namespace, except for the pod's own loopback: `--insecure-vault-namespaces`.",
  }),
  vaultAuthMethod: variable({
    name: "vault-auth-method",
    group: vault,
    type: "word",
    default: "kubernetes",
    parse: parseLoginMethod,
    meaning:
      "`kubernetes`; `jwt`, with the same token of the service account; `approle`: the container itself sets VAULT_APPROLE_ROLE_ID and VAULT_APPROLE_SECRET_ID_FILE; `cert` and `userpass`, whose files its pod mounts; or `token`: of the Secret in `token-secret`, else the wrapper waits for POST /v1/unseal: give it `broker-tls-secret`.",
  }),
  vaultRole: variable({
    name: "vault-role",
    group: vault,
    type: "text",
    requiredness: {
      conditional: "When the method is `kubernetes` or `jwt`, unless the SvcConfig says it",
    },
    parse: parsePlainText,
    meaning: "Role of the vault's auth method, for `kubernetes` and `jwt`.",
  }),
  vaultAuthPath: variable({
    name: "vault-auth-path",
    group: vault,
    type: "mount path",
    parse: parseAuthPath,
    meaning:
      "Path of the mount of the auth method; the wrapper's default is the name of the method.",
  }),
  vaultNamespace: variable({
    name: "vault-namespace",
    group: vault,
    type: "namespace",
    parse: parseVaultNamespace,
    meaning: "Namespace of the vault that every path and mount is in.",
  }),
  vaultTlsSkipVerify: variable({
    name: "vault-tls-skip-verify",
    aliases: ["vault-skip-verify"],
    group: vault,
    type: "boolean",
    parse: parseTrueOrFalse,
    meaning:
      "Turns the verification of the vault's certificate off. Development only, and only in namespaces that the operator permits it: `--insecure-vault-namespaces`.",
  }),
  vaultTlsServerName: variable({
    name: "vault-tls-server-name",
    group: vault,
    type: "host name",
    parse: parseServerName,
    meaning: "Name to expect in the vault's certificate, if it is not the address's.",
  }),
  vaultCaSecret: variable({
    name: "vault-ca-secret",
    group: vault,
    type: "Secret",
    parse: parseSecretKey("ca.crt"),
    meaning:
      "`NAME` or `NAME/KEY` of a Secret with the CA certificates to verify the vault with; the default key is `ca.crt`.",
  }),
  vaultCaBundle: variable({
    name: "vault-ca-bundle",
    group: vault,
    type: "PEM",
    parse: parseCertificates,
    meaning:
      "The CA certificates themselves. The operator sets it if the SvcConfig has them: the wrapper reads them from a downward API volume.",
  }),
  tokenSecret: variable({
    name: "token-secret",
    group: vault,
    type: "Secret",
    parse: parseSecretKey("token"),
    meaning:
      "`NAME` or `NAME/KEY` of a Secret with the token, for the method `token`; the default key is `token`. It is mounted as a file.",
  }),
  brokerTlsSecret: variable({
    name: "broker-tls-secret",
    group: broker,
    type: "Secret",
    parse: parseObjectName,
    meaning:
      "Name of a Secret of the type kubernetes.io/tls: the certificate and key of the wrapper's health and unseal server, which then speaks TLS. Both are mounted as files.",
  }),
  brokerCaSecret: variable({
    name: "broker-ca-secret",
    group: broker,
    type: "Secret",
    parse: parseSecretKey("ca.crt"),
    requiredness: { conditional: "No; only together with `broker-tls-secret`" },
    meaning:
      "`NAME` or `NAME/KEY` of a Secret with CA certificates: a client that brings the token has to show a certificate of these. The default key is `ca.crt`.",
  }),
  tokenAudience: variable({
    name: "token-audience",
    group: vault,
    type: "text",
    parse: parsePlainText,
    meaning:
      "Audience of the projected service account's token, for the methods `kubernetes` and `jwt`; `none` for the pod's own token. Without it the operator's setting, `vault` by default: `--token-audience`.",
  }),
  secretPaths: variable({
    name: "secret-paths",
    group: secrets,
    type: "path list",
    requiredness: { conditional: "Yes, unless the SvcConfig says it" },
    parse: parseList(parseKvPath),
    meaning:
      "Comma-separated paths, as in SVC_SECRET_PATHS. If all of them are files of the container (`file:/path`), no vault is needed.",
  }),
  envMap: variable({
    name: "env-map",
    group: secrets,
    type: "environment map",
    requiredness: { conditional: "Yes, unless the SvcConfig says it, or there is a file map" },
    parse: parseSparseEnvMap,
    meaning: "Which field of which path becomes which variable, as in SVC_ENV_MAP.",
  }),
  fileMap: variable({
    name: "file-map",
    group: secrets,
    type: "file map",
    parse: parseFileMap,
    meaning:
      "Which field of which path becomes which file, as in SVC_FILE_MAP. In most pods the wrapper may not mount: give each file `#any-path#env=VARIABLE`.",
  }),
  allowReferences: variable({
    name: "allow-references",
    group: secrets,
    type: "boolean",
    parse: parseTrueOrFalse,
    meaning: "Accepts values that look like an unresolved reference.",
  }),
};
