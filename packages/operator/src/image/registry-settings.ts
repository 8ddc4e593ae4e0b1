import type { DefaultRegistry } from "./default-registry.ts";

/**
 * Which registries there are and how far each is trusted. Registries are named by `host[:port]`, as
 * in references.
 */
export interface RegistrySettings {
  /** The registry of references that name none; by default Docker Hub. */
  readonly defaultRegistry?: DefaultRegistry | undefined;
  /** By registry, its mirrors, in this order: `host[:port][/prefix]`. */
  readonly mirrors: Readonly<Record<string, readonly string[]>>;
  /** Registries and mirrors that speak plain HTTP, or whose certificate is not checked. */
  readonly insecureRegistries: Readonly<Record<string, "http" | "skip-verify">>;
  /**
   * PEM certificates of authorities by `host[:port]` of registry, token server or storage; `*` for
   * all others. If there are some they are the only ones that are trusted.
   */
  readonly authorities: Readonly<Record<string, readonly string[]>>;
  /**
   * `host[:port]` of token servers and storage that may be asked although they are private
   * addresses.
   */
  readonly trustedHosts: readonly string[];
}

/** Only Docker Hub is known, nothing is trusted. */
export const registryDefaults: RegistrySettings = {
  mirrors: {},
  insecureRegistries: {},
  authorities: {},
  trustedHosts: [],
};

/** How much one lookup may take of what. */
export interface LookupLimits {
  /**
   * The whole lookup, in milliseconds: a webhook has 10 s at most, and has to answer within them.
   */
  readonly totalMs: number;
  /** One request with its redirects and its body, in milliseconds. */
  readonly requestMs: number;
  /** A manifest or an index, in bytes: the limit of registries themselves. */
  readonly manifestBytes: number;
  /** A configuration, in bytes. */
  readonly configBytes: number;
  /** The answer of a token server, in bytes. */
  readonly tokenBytes: number;
  /** Configurations of one index that are compared. */
  readonly platforms: number;
}

/** The defaults. */
export const lookupLimits: LookupLimits = {
  totalMs: 7000,
  requestMs: 3000,
  manifestBytes: 4 * 1024 * 1024,
  configBytes: 1024 * 1024,
  tokenBytes: 64 * 1024,
  platforms: 8,
};
