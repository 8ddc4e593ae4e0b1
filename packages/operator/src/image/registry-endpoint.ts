import { knownRegistry } from "./default-registry.ts";
import type { ImagePlace } from "./place-pattern.ts";
import type { RegistrySettings } from "./registry-settings.ts";

/** A server that may have an image. */
export interface RegistryEndpoint {
  /** `host[:port]`. */
  readonly host: string;
  /** `https://host[:port]`. */
  readonly origin: string;
  /** The image's name there. */
  readonly repository: string;
  /**
   * The place whose credentials are sent: a mirror gets its own, never those of the mirrored
   * registry.
   */
  readonly place: ImagePlace;
  /** The original registry's name for a mirror, as containerd sends it. */
  readonly mirrorOf: string | undefined;
}

/**
 * The servers to ask for an image, in this order: its mirrors, then its registry, unless that is
 * not to be asked.
 */
export function registryEndpoints(
  place: ImagePlace,
  settings: RegistrySettings,
): readonly RegistryEndpoint[] {
  const { registry, repository } = place;
  const mirrors = Object.hasOwn(settings.mirrors, registry)
    ? (settings.mirrors[registry] ?? [])
    : [];
  const known = knownRegistry(registry, settings.defaultRegistry);
  const host = known === undefined ? registry : known.server;
  const own = host === undefined ? [] : [{ host, repository, place, mirrorOf: undefined }];
  return [
    ...mirrors.map((mirror) => mirrorEndpoint(mirror, place, settings)),
    ...own.map((endpoint) => ({ ...endpoint, origin: originOf(endpoint.host, settings) })),
  ];
}

function mirrorEndpoint(
  mirror: string,
  place: ImagePlace,
  settings: RegistrySettings,
): RegistryEndpoint {
  const slash = mirror.indexOf("/");
  const host = slash < 0 ? mirror : mirror.slice(0, slash);
  const prefix = slash < 0 ? "" : mirror.slice(slash + 1).replace(/\/+$/, "");
  const repository = prefix === "" ? place.repository : `${prefix}/${place.repository}`;
  return {
    host,
    origin: originOf(host, settings),
    repository,
    place: { registry: host, repository },
    mirrorOf: place.registry,
  };
}

/** The address of a registry's server: by https unless it is set otherwise. */
export function originOf(
  host: string,
  { insecureRegistries }: Pick<RegistrySettings, "insecureRegistries">,
): string {
  const plain = Object.hasOwn(insecureRegistries, host) && insecureRegistries[host] === "http";
  return new URL(`${plain ? "http" : "https"}://${host}/`).origin;
}
