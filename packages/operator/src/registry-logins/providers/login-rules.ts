import {
  byPlace,
  type ImagePlace,
  matchesPlace,
  type PlacePattern,
  parsePlacePattern,
} from "../../image/place-pattern.ts";
import { ecrRegistryOf } from "../aws/ecr-registry.ts";
import type { LoginSource } from "../login-provider.ts";

/** The registries that the operator logs in to, the way, and the pods. */
export interface LoginRule {
  /** A registry, or a part of one. */
  readonly pattern: PlacePattern;
  readonly source: LoginSource;
  /** Namespaces, or `*` for every one. */
  readonly namespaces: readonly string[];
}

/** Domains in which only the provider has registries. */
const domains: Readonly<Record<Exclude<LoginSource, "docker-config">, readonly string[]>> = {
  aws: [
    ...["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu", "on.aws"],
    ...["on.amazonwebservices.com.cn", "sc2s.sgov.gov", "c2s.ic.gov"],
    ...["cloud.adc-e.uk", "csp.hci.ic.gov"],
  ],
  google: ["gcr.io", "pkg.dev"],
  azure: ["azurecr.io", "azurecr.cn", "azurecr.de", "azurecr.us"],
};

/**
 * The cloud whose registry a name is (the patterns of the kubelet's credential providers);
 * undefined if it is not a cloud's.
 */
export function cloudOf(registry: string): LoginSource | undefined {
  if (ecrRegistryOf(registry) !== undefined) return "aws";
  if (/^(?:[a-z0-9-]+\.)?gcr\.io$|^[a-z0-9-]+-docker\.pkg\.dev$/.test(registry)) return "google";
  return /^[A-Za-z0-9]+\.azurecr\.(?:io|cn|de|us)$/.test(registry) ? "azure" : undefined;
}

/**
 * Parses `HOST[:PORT][/PATH]`, in which labels of the host may have stars; undefined if it is not
 * one.
 */
export function parseLoginPattern(text: string): PlacePattern | undefined {
  const pattern = parsePlacePattern(text);
  const isWhole = pattern?.text.replace(/\/$/, "") === text.replace(/\/$/, "");
  if (pattern === undefined || !isWhole) return undefined;
  const { host, path } = pattern;
  const isHost =
    host.startsWith("[") || /^[A-Za-z0-9*](?:[A-Za-z0-9.*-]*[A-Za-z0-9*])?$/.test(host);
  return isHost && !path.includes("*") ? pattern : undefined;
}

/**
 * Says how a star has to stand, or nothing if it stands so: outside of the provider's domains,
 * strangers own registries that it is for.
 */
export function starProblem({ host }: PlacePattern, source: LoginSource): string | undefined {
  if (!host.includes("*")) return undefined;
  const fixed = host.slice(host.lastIndexOf("*") + 1);
  if (source === "docker-config") {
    return /^\.[^.]+\.[^.]+/.test(fixed)
      ? undefined
      : "a registry whose star has at least two plain labels behind it";
  }
  return domains[source].some((domain) => fixed.endsWith(`.${domain}`))
    ? undefined
    : `a registry with a star only in front of ${domains[source].join(", ")}`;
}

/**
 * The rules for a place, the most specific first. A path ends at a slash: `/team` is not for
 * `/teams`.
 */
export function rulesFor(rules: readonly LoginRule[], place: ImagePlace): readonly LoginRule[] {
  return rules
    .filter(
      (rule) =>
        matchesPlace(rule.pattern, place) &&
        isBelow(place.repository, rule.pattern) &&
        isOwned(place.registry, rule),
    )
    .toSorted((a, b) => byPlace(a.pattern, b.pattern));
}

/**
 * Clouds let their customers have other servers in the same domains: `*.*.*.amazonaws.com` is a
 * customer's API gateway, too. So a star is for registries only.
 */
function isOwned(registry: string, { pattern, source }: LoginRule): boolean {
  if (source === "docker-config" || !pattern.host.includes("*")) return true;
  return cloudOf(registry) === source;
}

function isBelow(repository: string, { path }: PlacePattern): boolean {
  const folder = path.replace(/\/$/, "");
  return folder === "" || `/${repository}` === folder || `/${repository}`.startsWith(`${folder}/`);
}

/** Those that are open to a namespace. */
export function rulesOf(rules: readonly LoginRule[], namespace: string): readonly LoginRule[] {
  return rules.filter(
    ({ namespaces }) => namespaces.includes("*") || namespaces.includes(namespace),
  );
}
