import { isFields, textIn } from "./json-fields.ts";
import { RegistryCredential } from "./registry-credential.ts";

/** A credential and the registries that it is for. */
export interface CredentialEntry {
  /**
   * As docker's configuration has it: `registry.test`, `*.test:5000/team`,
   * `https://registry.test/v1/`.
   */
  readonly pattern: string;
  readonly credential: RegistryCredential;
}

/** Credentials, and the problems of those that were left out. */
export interface ParsedAuths {
  readonly entries: readonly CredentialEntry[];
  /** Each begins with a verb; none holds a word of the file. */
  readonly problems: readonly string[];
}

/** More registries in one file are not read; each is compared with each image. */
const MOST_ENTRIES = 100;
/** A host and a repository (distribution/reference), with room for a scheme and a port. */
const LONGEST_PATTERN = 512;

/** Reads the `auths` of docker's configuration: credentials by registry. */
export function parseAuths(registries: Readonly<Record<string, unknown>>): ParsedAuths {
  const entries: CredentialEntry[] = [];
  const problems: string[] = [];
  const all = Object.entries(registries);
  const good = all.filter(([pattern]) => pattern.length <= LONGEST_PATTERN).slice(0, MOST_ENTRIES);
  if (good.length < all.length) {
    const left = all.length - good.length;
    problems.push(
      `${left} of ${all.length} entries are left out: at most ${MOST_ENTRIES} are read, of registries with at most ${LONGEST_PATTERN} characters`,
    );
  }
  for (const [pattern, value] of good) {
    const credential = parseCredential(value);
    if (credential instanceof RegistryCredential) entries.push({ pattern, credential });
    else problems.push(`an entry ${credential}`);
  }
  return { entries, problems };
}

/** `auth` wins over `username` and `password`, as it does for the kubelet. */
function parseCredential(value: unknown): RegistryCredential | string {
  if (!isFields(value)) return "is not a JSON object";
  const auth = textIn(value, "auth");
  const pair = auth === undefined ? undefined : parseAuth(auth);
  if (auth !== undefined && pair === undefined)
    return "has an auth that is not base64 of NAME:PASSWORD";
  const identityToken = textIn(value, "identitytoken");
  const registryToken = textIn(value, "registrytoken");
  const username = pair?.username ?? textIn(value, "username");
  const password = pair?.password ?? textIn(value, "password");
  if (username === undefined && identityToken === undefined && registryToken === undefined) {
    return "has neither a user nor a token";
  }
  return new RegistryCredential({
    username,
    password: password ?? "",
    identityToken,
    registryToken,
  });
}

function parseAuth(auth: string): { username: string; password: string } | undefined {
  const text = Buffer.from(auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 1) return undefined;
  // Docker itself ends some of them with NUL bytes.
  return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, "") };
}
