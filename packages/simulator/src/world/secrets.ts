/** The path of the secret that changes. */
export const PATH = "secret/data/app";
/** Where its versions are listed. */
export const METADATA_PATH = "secret/metadata/app";
/** The path of one that stays the same. */
export const OTHER_PATH = "secret/data/other";
/** The file of one that is not in the vault. */
export const FILE_PATH = "/run/secrets/pin";
/** Its only field, `key`. */
export const KEY = "key-canary";
export const ROOT_TOKEN = "root-token-canary";
/** The policy of logins. */
export const POLICY = "app";
/** The service account's token. */
export const JWT = "jwt-canary";
/** The file that has it. */
export const JWT_PATH = "/run/jwt";

/** The file that has the vault's token. */
export const TOKEN_PATH = "/run/token";

/** The pod's token for the operator. */
export const POD_TOKEN = "pod-jwt-canary";
/** The file that has it. */
export const POD_TOKEN_PATH = "/run/pod-token";
/** The file of a token that the supervisor itself shows the agent. */
export const AGENT_TOKEN_PATH = "/run/agent-token";
/** Files of the health port's TLS. */
export const TLS_PATHS = {
  certificate: "/run/tls/crt",
  key: "/run/tls/key",
  clientCa: "/run/tls/ca",
};
/** A text in the form of PEM: the model of TLS takes any. */
export function pemOf(text: string): Uint8Array {
  return new TextEncoder().encode(`-----BEGIN CERTIFICATE-----\n${text}\n`);
}

/** SVC_REFRESH_FILE. */
export const REFRESH_PATH = "/run/refresh";

const CANARY = new TextEncoder().encode("-canary");

/** The value or the token in some bytes, or its end; undefined if they have none. */
export function canaryIn(bytes: Uint8Array): string | undefined {
  const { buffer, byteOffset, length } = bytes;
  const at = Buffer.from(buffer, byteOffset, length).indexOf(CANARY);
  if (at < 0) return undefined;
  return new TextDecoder("latin1").decode(bytes.subarray(Math.max(0, at - 12), at + 12));
}

/** The fields of a version. */
export function fieldsOf(version: number): Readonly<Record<string, string>> {
  return { user: `user-canary-${version}.`, password: `password-canary-${version}.` };
}
