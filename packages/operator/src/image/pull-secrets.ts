import { RegistryCredential } from "./registry-credential.ts";

/** A Secret as `imagePullSecrets` names it. */
export interface PullSecret {
  readonly name: string;
  readonly type: string;
  /** By key, base64, as the API server gives it. */
  readonly data: Readonly<Record<string, string>>;
}

/** A credential and the registries that it is for. */
export interface CredentialEntry {
  /** As the pull secret writes it: `registry.test`, `*.test:5000/team`, `https://registry.test/v1/`. */
  readonly pattern: string;
  readonly credential: RegistryCredential;
}

/** Credentials of pull secrets, and what was wrong with some of them. */
export interface ParsedPullSecrets {
  readonly entries: readonly CredentialEntry[];
  /** One line each, with the Secret's name and nothing that is in it. */
  readonly problems: readonly string[];
}

/** Nobody names so many registries; each is compared with each image. */
const MOST_ENTRIES = 100;
/** A host and a repository (distribution/reference), with room for a scheme and a port. */
const LONGEST_PATTERN = 512;

/** Kubernetes' own limit of a Secret, as base64. */
const LONGEST_DATA = 1_500_000;

/**
 * Reads Secrets of the types `kubernetes.io/dockerconfigjson` and `kubernetes.io/dockercfg`, in the order given.
 * What cannot be used is left out and named, as the kubelet leaves it out.
 */
export function parsePullSecrets(secrets: readonly PullSecret[]): ParsedPullSecrets {
  const parsed = secrets.map(parseSecret);
  return {
    entries: parsed.flatMap(({ entries }) => entries),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

function parseSecret(secret: PullSecret): ParsedPullSecrets {
  const registries = registriesOf(secret);
  if (typeof registries === "string") return none(secret, registries);
  const entries: CredentialEntry[] = [];
  const problems: string[] = [];
  const all = Object.entries(registries);
  const good = all.filter(([pattern]) => pattern.length <= LONGEST_PATTERN).slice(0, MOST_ENTRIES);
  if (good.length < all.length) {
    const found = `${all.length - good.length} of ${all.length} entries are left out: at most ${MOST_ENTRIES} are read, of registries with at most ${LONGEST_PATTERN} characters`;
    problems.push(`read pull secret ${secret.name}: ${found}`);
  }
  for (const [pattern, value] of good) {
    const credential = parseCredential(value);
    if (credential instanceof RegistryCredential) entries.push({ pattern, credential });
    else problems.push(`read pull secret ${secret.name}: an entry ${credential}`);
  }
  return { entries, problems };
}

function none({ name }: PullSecret, found: string): ParsedPullSecrets {
  return { entries: [], problems: [`read pull secret ${name}: ${found}`] };
}

type Fields = Readonly<Record<string, unknown>>;

/** The entries by registry, or why there are none. */
function registriesOf({ type, data }: PullSecret): Fields | string {
  switch (type) {
    case "kubernetes.io/dockerconfigjson": {
      const file = jsonIn(data[".dockerconfigjson"]);
      const auths = isFields(file) ? file["auths"] : undefined;
      return isFields(auths) ? auths : "it has no auths in .dockerconfigjson";
    }
    case "kubernetes.io/dockercfg": {
      const file = jsonIn(data[".dockercfg"]);
      return isFields(file) ? file : "its .dockercfg is not a JSON object";
    }
    default:
      return "its type is neither kubernetes.io/dockerconfigjson nor kubernetes.io/dockercfg";
  }
}

function jsonIn(base64: string | undefined): unknown {
  if (base64 === undefined || base64.length > LONGEST_DATA) return undefined;
  try {
    return JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
  } catch {
    // The parser's words would quote the file.
    return undefined;
  }
}

/** `auth` wins over `username` and `password`, as it does for the kubelet. */
function parseCredential(value: unknown): RegistryCredential | string {
  if (!isFields(value)) return "is not a JSON object";
  const auth = textOf(value["auth"]);
  const pair = auth === undefined ? undefined : parseAuth(auth);
  if (auth !== undefined && pair === undefined)
    return "has an auth that is not base64 of NAME:PASSWORD";
  const identityToken = textOf(value["identitytoken"]);
  const registryToken = textOf(value["registrytoken"]);
  const username = pair?.username ?? textOf(value["username"]);
  const password = pair?.password ?? textOf(value["password"]);
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
