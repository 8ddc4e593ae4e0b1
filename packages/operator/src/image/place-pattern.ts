/** The place of an image, as a pull secret may name it. */
export interface ImagePlace {
  /** `host[:port]`. */
  readonly registry: string;
  readonly repository: string;
}

/** A registry, or a part of one, as docker's configuration and the operator's flags name it. */
export interface PlacePattern {
  readonly host: string;
  readonly port: string;
  /** With its leading slash; empty if there is none. */
  readonly path: string;
  readonly text: string;
}

/** Takes a pattern apart; undefined if the text is not one. */
export function parsePlacePattern(pattern: string): PlacePattern | undefined {
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

/** Compares two patterns for a sort: the longer of two that begin alike comes first. */
export function byPlace(a: PlacePattern, b: PlacePattern): number {
  return a.text < b.text ? 1 : a.text > b.text ? -1 : 0;
}

/** Whether the pattern is for the place (pkg/credentialprovider/keyring.go of Kubernetes 1.36). */
export function matchesPlace(
  { host, port, path }: PlacePattern,
  { registry, repository }: ImagePlace,
): boolean {
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
 * `*`, the only sign of Go's path/filepath.Match that the kubelet lets through: `?` ends a URL's
 * path. Any user may write a pattern, so time is at most its length times the label's.
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
