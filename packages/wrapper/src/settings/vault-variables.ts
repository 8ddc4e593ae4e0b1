import {
  accepted,
  type Parsed,
  parseAuthPath,
  parseDurationBetween,
  parseFilePath,
  parseLoginMethod,
  parsePlainText,
  parseServerUrl,
  parseSocketAddress,
  parseVaultNamespace,
  refused,
  variable,
  vaultTlsVariables,
} from "@svc/settings";
import type { JwtSource } from "./vault-auth.ts";

const parseDuration = parseDurationBetween({ least: "100ms" });

/** Parses VAULT_CLIENT_TIMEOUT as Vault's client does: a Go duration, or a number of seconds. */
export function parseClientTimeout(text: string): Parsed<number> {
  return parseDuration(/^\d+$/.test(text) ? `${text}s` : text);
}

const scheme = "unix://";

/** Parses the path of a file, or `unix:///path` of the agent's socket. */
export function parseJwtSource(text: string): Parsed<JwtSource> {
  const isSocket = text.startsWith(scheme);
  const parsed = isSocket ? parseSocketAddress(text) : parseFilePath(text);
  if (!parsed.ok) return parsed;
  return isSocket
    ? accepted({ kind: "agent", path: parsed.value.slice(scheme.length) })
    : accepted({ kind: "file", path: parsed.value });
}

/** Parses a role id: text that a request can hold as it is. */
function parseRoleId(text: string): Parsed<string> {
  const isPlain = /^[!-~]+$/.test(text) && !/["\\]/.test(text);
  return isPlain ? accepted(text) : refused("visible ASCII without quotes and backslashes");
}

/** Parses the name of a user as the userpass method takes it: it becomes a part of the path. */
function parseUsername(text: string): Parsed<string> {
  return /^\w(?:[\w.-]{0,254}\w)?$/.test(text)
    ? accepted(text)
    : refused("the name of a user: letters, digits, _, . and -");
}

const group = "Vault connection";

/** The wrapper's way to the vault, and its identity there. */
export const vaultVariables = {
  vaultAddress: variable({
    name: "VAULT_ADDR",
    group,
    type: "URL",
    requiredness: { conditional: "Yes, unless every secret is a file" },
    parse: parseServerUrl,
    meaning:
      "Address of the vault. Must include scheme and port, also if the port is 443. A path before the API's own is kept. If it is not set and BAO_ADDR is, the wrapper reads the variables of OpenBao's client: BAO_ADDR, BAO_TOKEN, BAO_NAMESPACE, BAO_CACERT and so on, each as the one with VAULT_.",
  }),
  token: variable({
    name: "VAULT_TOKEN",
    group,
    type: "token",
    flag: false,
    requiredness: {
      conditional:
        "Conditional: with VAULT_AUTH_METHOD `token`, unless VAULT_TOKEN_FILE is set or the token comes by POST /v1/unseal",
    },
    parse: undefined,
    secret: true,
    meaning:
      "Static token. It selects the method `token`, regardless of VAULT_AUTH_METHOD. With the method `token` and no token the wrapper starts in sealed mode: it waits for POST /v1/unseal. There is no flag for it, because every user of the machine can read the command line of a process.",
  }),
  tokenFile: variable({
    name: "VAULT_TOKEN_FILE",
    group,
    type: "file",
    parse: parseFilePath,
    meaning:
      "File that holds a token, read at each login. Setting it selects the method `token`. VAULT_TOKEN takes precedence over it, and the flag over both.",
  }),
  requestTimeoutMs: variable({
    name: "VAULT_CLIENT_TIMEOUT",
    group,
    type: "duration",
    default: "10s",
    parse: parseClientTimeout,
    meaning:
      "How long one request may take, redirects and answer included; at least 100ms. A number without a unit counts seconds, as for Vault's own client, whose default is 60s.",
  }),
  authMethod: variable({
    name: "VAULT_AUTH_METHOD",
    group,
    type: "word",
    default: "kubernetes",
    parse: parseLoginMethod,
    meaning:
      "`kubernetes`; `jwt`, for any JWT that the vault can verify; `approle`: VAULT_APPROLE_ROLE_ID and VAULT_APPROLE_SECRET_ID_FILE; `cert`: VAULT_CLIENT_CERT and VAULT_CLIENT_KEY; `userpass`, for development: VAULT_USERPASS_USERNAME and VAULT_USERPASS_PASSWORD_FILE; or `token`: VAULT_TOKEN, VAULT_TOKEN_FILE, or sealed mode if neither is set.",
  }),
  authRole: variable({
    name: "VAULT_AUTH_ROLE",
    group,
    type: "text",
    requiredness: { conditional: "Conditional: when the method is `kubernetes` or `jwt`" },
    parse: parsePlainText,
    meaning:
      "Role of the vault's auth method, for `kubernetes` and `jwt`. For `cert` it is the name of a certificate role; unset, the vault looks for one that fits.",
  }),
  authMountPath: variable({
    name: "VAULT_AUTH_MOUNT_PATH",
    group,
    type: "mount path",
    parse: parseAuthPath,
    meaning:
      "Path of the mount of the auth method. By default it is the name of the method. `kubernetes`, `auth/kubernetes` and the same with slashes around it mean the same.",
  }),
  authJwt: variable({
    name: "SVC_AUTH_JWT_PATH",
    group,
    type: "file or socket",
    default: "/var/run/secrets/kubernetes.io/serviceaccount/token",
    parse: parseJwtSource,
    meaning:
      "File of the JWT for `kubernetes` and `jwt`, read at each login. By default it is the service account token that proves the pod's identity. With `unix:///opt/svc/login.sock` the agent of the node gives the token to the wrapper, and no file of the pod has it.",
  }),
  appRoleId: variable({
    name: "VAULT_APPROLE_ROLE_ID",
    group,
    type: "text",
    flag: false,
    requiredness: { conditional: "Conditional: when the method is `approle`" },
    parse: parseRoleId,
    secret: true,
    meaning:
      "Role id of the vault's AppRole auth method: not the role's name. The wrapper wipes the variable once it has read it, and no message shows it. There is no flag for it, because every user of the machine can read the command line of a process.",
  }),
  appRoleSecretIdPath: variable({
    name: "VAULT_APPROLE_SECRET_ID_FILE",
    group,
    type: "file",
    parse: parseFilePath,
    meaning:
      "File with the secret id for `approle`, read at each login. Leave it out for a role with `bind_secret_id=false`. A later login needs a secret id that may be used again, or a new one in the file.",
  }),
  userpassUsername: variable({
    name: "VAULT_USERPASS_USERNAME",
    group,
    type: "text",
    requiredness: { conditional: "Conditional: when the method is `userpass`" },
    parse: parseUsername,
    meaning: "Name of the user for `userpass`.",
  }),
  userpassPasswordPath: variable({
    name: "VAULT_USERPASS_PASSWORD_FILE",
    group,
    type: "file",
    requiredness: { conditional: "Conditional: when the method is `userpass`" },
    parse: parseFilePath,
    meaning: "File with the password for `userpass`, read at each login.",
  }),
  namespace: variable({
    name: "VAULT_NAMESPACE",
    group,
    type: "namespace",
    parse: parseVaultNamespace,
    meaning: "Namespace of the vault that every path and mount is in.",
  }),
  ...vaultTlsVariables(group, "vault"),
};
