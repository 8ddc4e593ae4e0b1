import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { BoundedCache } from "../image/bounded-cache.ts";
import {
  type ParsedPullSecrets,
  type PullSecret,
  parsePullSecrets,
} from "../image/pull-secrets.ts";
import { SingleFlight } from "../image/single-flight.ts";

/** Finds the credentials in the pull secrets of a namespace, in the order of their names. */
export type PullCredentials = (
  namespace: string,
  names: readonly string[],
) => Promise<ParsedPullSecrets>;

/** As many as the kubelet would look at; more is a pod that wants to keep us busy. */
const MOST_SECRETS = 16;
/** How long a Secret is remembered: the pods of a Deployment come together. */
const LIFE_MS = 10_000;

/** Asks nothing: for an operator that is not to read any Secret. */
export const noCredentials: PullCredentials = async (_, names) => ({
  entries: [],
  problems: [`read pull secret ${names.join(", ")}: the operator runs without --read-pull-secrets`],
});

/**
 * Reads pull secrets by name. One that is not there, or may not be read, is left out and named, as
 * the kubelet leaves it out. It does not throw.
 */
export function readCredentials(api: KubernetesApi): PullCredentials {
  const known = new BoundedCache<PullSecret | string>({ entries: 500, bytes: 4 * 1024 * 1024 });
  const flights = new SingleFlight<PullSecret | string>();
  const secretOf = (namespace: string, name: string): Promise<PullSecret | string> => {
    const key = `${namespace}/${name}`;
    const remembered = known.get(key);
    if (remembered !== undefined) return Promise.resolve(remembered);
    return flights.run(key, async () => {
      const secret = await readSecret(api, namespace, name);
      known.put(key, secret, { bytes: weightOf(secret), lifeMs: LIFE_MS });
      return secret;
    });
  };
  return async (namespace, names) => {
    const wanted = [...new Set(names)].slice(0, MOST_SECRETS);
    const found = await Promise.all(wanted.map((name) => secretOf(namespace, name)));
    const { entries, problems } = parsePullSecrets(found.filter((it) => typeof it !== "string"));
    return { entries, problems: [...found.filter((it) => typeof it === "string"), ...problems] };
  };
}

/** The Secret, or in words why it is not had. */
async function readSecret(
  api: KubernetesApi,
  namespace: string,
  name: string,
): Promise<PullSecret | string> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const operation = `read pull secret ${name}`;
  try {
    return pullSecretOf(name, await api.ask({ method: "GET", path, operation, timeoutMs: 3000 }));
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.status === 404) return `${operation}: there is none`;
    if (error.status === 403)
      return `${operation}: the operator may not read Secrets of namespace ${namespace}`;
    return `${operation}: the API server did not give it`;
  }
}

function pullSecretOf(name: string, object: unknown): PullSecret {
  const { type, data } = Object(object);
  const texts = Object.entries(Object(data)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { name, type: String(type), data: Object.fromEntries(texts) };
}

function weightOf(secret: PullSecret | string): number {
  if (typeof secret === "string") return secret.length;
  return Object.values(secret.data).reduce((sum, text) => sum + text.length, 200);
}
