import { type CredentialEntry, parseAuths } from "./docker-auths.ts";
import { type Fields, isFields } from "./json-fields.ts";

/** A Secret as `imagePullSecrets` names it. */
export interface PullSecret {
  readonly name: string;
  readonly type: string;
  /** By key, base64, as the API server gives it. */
  readonly data: Readonly<Record<string, string>>;
}

/** Credentials of pull secrets, and the problems of some of them. */
export interface ParsedPullSecrets {
  readonly entries: readonly CredentialEntry[];
  /** One line each, with the Secret's name and nothing that is in it. */
  readonly problems: readonly string[];
}

/** Kubernetes' own limit of a Secret, as base64. */
const LONGEST_DATA = 1_500_000;

/**
 * Reads Secrets of the types `kubernetes.io/dockerconfigjson` and `kubernetes.io/dockercfg`, in the
 * order given. It leaves out unusable ones, as the kubelet does, and names them.
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
  const { entries, problems } = parseAuths(registries);
  return {
    entries,
    problems: problems.map((problem) => `read pull secret ${secret.name}: ${problem}`),
  };
}

function none({ name }: PullSecret, found: string): ParsedPullSecrets {
  return { entries: [], problems: [`read pull secret ${name}: ${found}`] };
}

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
