import { type DefaultRegistry, isDefaultRegistry } from "./default-registry.ts";
import type { CredentialEntry } from "./pull-secrets.ts";
import type { RegistryCredential } from "./registry-credential.ts";

/** Where an image lies, as a pull secret may name it. */
export interface ImagePlace {
  /** `host[:port]`. */
  readonly registry: string;
  readonly repository: string;
}

/** More credentials for one image than this are not tried: each costs requests. */
const MOST_CREDENTIALS = 16;

/**
 * The credentials to try for an image, in the order in which the kubelet tries them: the most specific place
 * first, and for one place in the order of the Secrets. Those of the default registry's other names come in
 * where nothing else matches (pkg/credentialprovider/keyring.go of Kubernetes 1.36).
 */
export function matchCredentials(
  entries: readonly CredentialEntry[],
  place: ImagePlace,
  byDefault?: DefaultRegistry,
): readonly RegistryCredential[] {
  const keyed = entries.flatMap((entry) => {
    const key = keyOf(entry.pattern);
    return key === undefined ? [] : [{ key, credential: entry.credential }];
  });
  // Reverse order of the texts: the longer of two that begin alike comes first.
  const sorted = keyed.toSorted((a, b) =>
    a.key.text < b.key.text ? 1 : a.key.text > b.key.text ? -1 : 0,
  );
  const matching = sorted.filter(({ key }) => matches(key, place));
  const found =
    matching.length > 0
      ? matching
      : sorted.filter(({ key }) => isForDefault(key, place, byDefault));
  return withoutRepeats(found.map(({ credential }) => credential)).slice(0, MOST_CREDENTIALS);
}

interface Key {
  readonly host: string;
  readonly port: string;
  /** With its leading slash; empty where there is none. */
  readonly path: string;
  readonly text: string;
}

function keyOf(pattern: string): Key | undefined {
  const bare = pattern.replace(/^https?:\/\//, "").split(/[?#]/, 1)[0] ?? "";
  const slash = bare.indexOf("/");
  const authority = slash < 0 ? bare : bare.slice(0, slash);
  const [, host, port = ""] =
    /^([^\s:@[\]/]+|\[[0-9A-Fa-f:]+\])(?::([0-9]+))?$/.exec(authority) ?? [];
  if (host === undefined) return undefined;
  // What `docker login` writes for a registry as a whole ends in /v1/ or /v2/.
  const path = (slash < 0 ? "" : bare.slice(slash)).replace(/^\/v[12]\//, "/");
  const kept = path === "/" ? "" : path;
  return { host, port, path: kept, text: `${authority}${kept}` };
}

function matches({ host, port, path }: Key, { registry, repository }: ImagePlace): boolean {
  const [, wantedHost = registry, wantedPort = ""] = /^(.*?)(?::([0-9]+))?$/.exec(registry) ?? [];
  return port === wantedPort && hostMatches(host, wantedHost) && `/${repository}`.startsWith(path);
}

/** Label by label, so that `*.test` is not for `a.b.test` nor for `test`. */
function hostMatches(pattern: string, host: string): boolean {
  if (pattern.startsWith("[") || host.startsWith("[")) return pattern === host;
  const wanted = pattern.split(".");
  const found = host.split(".");
  return (
    wanted.length === found.length &&
    wanted.every((part, index) => labelMatches(part, found[index] ?? ""))
  );
}

/**
 * `*`, the only sign of Go's path/filepath.Match that the kubelet lets through: `?` ends a URL's path. A pattern is
 * anybody's text, so time is at most its length times the label's.
 */
function labelMatches(pattern: string, label: string): boolean {
  let reached = 0;
  let star = -1;
  let retry = 0;
  for (let at = 0; at < label.length; ) {
    const sign = pattern[reached];
    if (sign === "*") {
      star = reached++;
      retry = at;
    } else if (sign === label[at]) {
      reached++;
      at++;
    } else if (star >= 0) {
      reached = star + 1;
      at = ++retry;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(reached));
}

function isForDefault(
  { host, port, path }: Key,
  { registry }: ImagePlace,
  byDefault: DefaultRegistry | undefined,
) {
  const name = port === "" ? host : `${host}:${port}`;
  return (
    path === "" && isDefaultRegistry(registry, byDefault) && isDefaultRegistry(name, byDefault)
  );
}

function withoutRepeats(credentials: readonly RegistryCredential[]): readonly RegistryCredential[] {
  return [...new Map(credentials.map((each) => [each.fingerprint, each])).values()];
}
