import { type DefaultRegistry, knownRegistry } from "./default-registry.ts";
import type { CredentialEntry } from "./docker-auths.ts";
import {
  byPlace,
  type ImagePlace,
  matchesPlace,
  type PlacePattern,
  parsePlacePattern,
} from "./place-pattern.ts";
import type { RegistryCredential } from "./registry-credential.ts";

/** More credentials for one image than this are not tried: each costs requests. */
const MOST_CREDENTIALS = 16;

/**
 * The credentials to try for an image, in the order in which the kubelet tries them. The most
 * specific place comes first. Those of one place have the order of the Secrets. Those of the
 * other names of a known registry apply if nothing else matches (pkg/credentialprovider/keyring.go
 * of Kubernetes 1.36).
 */
export function matchCredentials(
  entries: readonly CredentialEntry[],
  place: ImagePlace,
  byDefault?: DefaultRegistry,
): readonly RegistryCredential[] {
  const keyed = entries.flatMap((entry) => {
    const key = parsePlacePattern(entry.pattern);
    return key === undefined ? [] : [{ key, credential: entry.credential }];
  });
  const sorted = keyed.toSorted((a, b) => byPlace(a.key, b.key));
  const matching = sorted.filter(({ key }) => matchesPlace(key, place));
  const found =
    matching.length > 0
      ? matching
      : sorted.filter(({ key }) => isForOtherName(key, place, byDefault));
  return withoutRepeats(found.map(({ credential }) => credential)).slice(0, MOST_CREDENTIALS);
}

function isForOtherName(
  { host, port, path }: PlacePattern,
  { registry }: ImagePlace,
  byDefault: DefaultRegistry | undefined,
) {
  const name = port === "" ? host : `${host}:${port}`;
  const known = knownRegistry(registry, byDefault);
  return path === "" && known !== undefined && knownRegistry(name, byDefault) === known;
}

function withoutRepeats(credentials: readonly RegistryCredential[]): readonly RegistryCredential[] {
  return [...new Map(credentials.map((each) => [each.fingerprint, each])).values()];
}
