import type { CredentialEntry } from "./docker-auths.ts";
import type { ImageErrorCode } from "./error-catalogue.ts";
import type { FoundImage } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import type { ImageReference } from "./image-reference.ts";
import type { LookupMemory } from "./lookup-memory.ts";
import { matchCredentials } from "./match-credentials.ts";
import type { PlatformConstraint } from "./platform.ts";
import { isOwnAddress } from "./private-address.ts";
import { readImage } from "./read-image.ts";
import type { RegistryCredential } from "./registry-credential.ts";
import type { RegistryEndpoint } from "./registry-endpoint.ts";
import { RegistrySession } from "./registry-session.ts";
import type { LookupLimits, RegistrySettings } from "./registry-settings.ts";

/** What is looked up, for all its servers. */
export interface Lookup {
  readonly reference: ImageReference;
  readonly credentials: readonly CredentialEntry[];
  readonly platform: PlatformConstraint;
  readonly settings: RegistrySettings;
  readonly limits: LookupLimits;
  readonly memory: LookupMemory;
  /** As messages begin: `read image X`. */
  readonly operation: string;
}

/** What a server is left alone for when it happens again and again: not for what it says of one image. */
const serverFaults: ReadonlySet<ImageErrorCode> = new Set([
  "UNREACHABLE",
  "TIMEOUT",
  "SERVER_ERROR",
  "TLS",
]);

/**
 * Asks one server with every credential that matches, one after the other, unless it is being left alone.
 *
 * @throws ImageError
 */
export async function askEndpoint(
  endpoint: RegistryEndpoint,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<FoundImage> {
  const { breaker } = lookup.memory;
  refuseOwnAddress(endpoint, lookup);
  refuseWhileOpen(endpoint.origin, endpoint, lookup);
  try {
    const found = await tryCredentials(endpoint, lookup, signal);
    breaker.succeeded(endpoint.origin);
    return found;
  } catch (error) {
    if (error instanceof ImageError && serverFaults.has(error.code))
      breaker.failed(endpoint.origin);
    else if (!(error instanceof ImageError && error.code === "CANCELLED"))
      breaker.succeeded(endpoint.origin);
    throw error;
  }
}

/**
 * A registry on the node's loopback is not on ours; and whoever writes a pod must not have us ask our own neighbours,
 * such as a cloud's metadata, and be told their status.
 */
function refuseOwnAddress({ host, origin, mirrorOf }: RegistryEndpoint, lookup: Lookup): void {
  const { insecureRegistries, authorities, trustedHosts, defaultRegistry } = lookup.settings;
  const named = [
    ...Object.keys(insecureRegistries),
    ...Object.keys(authorities),
    ...trustedHosts,
    defaultRegistry?.server,
  ];
  if (mirrorOf !== undefined || named.includes(host) || !isOwnAddress(new URL(origin).hostname))
    return;
  const found = "it is an address of the node's own, where the operator finds something else";
  throw new ImageError("UNREACHABLE", `${lookup.operation} at ${host}: ${found}`, {
    hint: "set the container's command, or name the registry in the operator's settings",
  });
}

function refuseWhileOpen(
  key: string,
  { host }: RegistryEndpoint,
  { memory, operation }: Lookup,
): void {
  const waitMs = memory.breaker.waitMs(key);
  if (waitMs === 0) return;
  const found = `it is left alone for ${Math.ceil(waitMs / 1000)} s after what it answered last`;
  throw new ImageError("CIRCUIT_OPEN", `${operation} at ${host}: ${found}`, {
    retryAfterMs: waitMs,
  });
}

/** Faults after which another credential may do. Some registries say 404 of what one may not see. */
const credentialFaults: ReadonlySet<ImageErrorCode> = new Set([
  "DENIED",
  "NOT_FOUND",
  "RATE_LIMITED",
  "CIRCUIT_OPEN",
]);

async function tryCredentials(
  endpoint: RegistryEndpoint,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<FoundImage> {
  const { credentials, settings } = lookup;
  const matching = matchCredentials(credentials, endpoint.place, settings.defaultRegistry);
  const errors: ImageError[] = [];
  for (const credential of matching.length === 0 ? [undefined] : matching) {
    try {
      return await tryCredential(endpoint, credential, lookup, signal);
    } catch (error) {
      if (!(error instanceof ImageError && credentialFaults.has(error.code))) throw error;
      errors.push(error);
    }
  }
  throw mostTelling(errors, matching.length, endpoint, lookup);
}

async function tryCredential(
  endpoint: RegistryEndpoint,
  credential: RegistryCredential | undefined,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<FoundImage> {
  const { settings, platform, limits, memory, reference, operation } = lookup;
  // A limit of requests is that of a user, not of the server.
  const user = `${endpoint.origin} ${credential?.fingerprint ?? ""}`;
  refuseWhileOpen(user, endpoint, lookup);
  const transport = { settings, requestMs: limits.requestMs, signal };
  const session = new RegistrySession({
    endpoint,
    credential,
    transport,
    tokens: memory.tokens,
    limits,
  });
  const wish = {
    reference,
    platform,
    limits,
    configs: memory.configs,
    operation: `${operation} at ${endpoint.host}`,
  };
  try {
    const found = await readImage(session, wish);
    memory.breaker.succeeded(user);
    return found;
  } catch (error) {
    const limited = error instanceof ImageError && error.code === "RATE_LIMITED";
    if (limited) memory.breaker.asked(user, error.retryAfterMs ?? SOME_TIME_MS);
    else memory.breaker.succeeded(user);
    throw error;
  }
}

/** Where a registry does not say how long it is to be left alone. */
const SOME_TIME_MS = 5000;

/** A credential that is known and finds nothing says more than one that is refused. */
function mostTelling(
  errors: readonly ImageError[],
  count: number,
  endpoint: RegistryEndpoint,
  lookup: Lookup,
) {
  const telling = errors.find(({ code }) => code !== "DENIED");
  if (telling !== undefined) return telling;
  const found =
    count === 0 ? "it asks for credentials, and no pull secret matches" : refusals(count);
  return new ImageError("DENIED", `${lookup.operation} at ${endpoint.host}: ${found}`, {
    cause: errors[0],
  });
}

function refusals(count: number): string {
  return count === 1
    ? "the credential that matches was refused"
    : `all ${count} credentials that match were refused`;
}
