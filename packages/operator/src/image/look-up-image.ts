import type { TokenCache } from "./access-token.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { type Deadline, deadline } from "./deadline.ts";
import type { ImageErrorCode } from "./error-catalogue.ts";
import type { FoundImage } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import { formatReference, type ImageReference, parseImageReference } from "./image-reference.ts";
import { matchCredentials } from "./match-credentials.ts";
import type { PlatformConstraint } from "./platform.ts";
import type { CredentialEntry } from "./pull-secrets.ts";
import { type ConfigCache, readImage } from "./read-image.ts";
import type { RegistryCredential } from "./registry-credential.ts";
import { type RegistryEndpoint, registryEndpoints } from "./registry-endpoint.ts";
import { RegistrySession } from "./registry-session.ts";
import { type LookupLimits, lookupLimits, type RegistrySettings } from "./registry-settings.ts";

/** What lookups of one process learn from each other. */
export interface LookupMemory {
  readonly configs: ConfigCache;
  readonly tokens: TokenCache;
  readonly breaker: CircuitBreaker;
}

/** How an image is looked up. */
export interface LookupOptions {
  /** Of the pod's pull secrets and its service account's, in this order. */
  readonly credentials?: readonly CredentialEntry[];
  readonly platform: PlatformConstraint;
  readonly settings: RegistrySettings;
  /** `lookupLimits` unless told. */
  readonly limits?: LookupLimits;
  /** Nothing is remembered unless told. */
  readonly memory?: LookupMemory;
  readonly signal?: AbortSignal;
}

const MIB = 1024 * 1024;

/** An empty memory, bounded: some 10 MiB when it is full. */
export function lookupMemory(): LookupMemory {
  return {
    configs: new BoundedCache({ entries: 5000, bytes: 8 * MIB }),
    tokens: new BoundedCache({ entries: 500, bytes: 2 * MIB }),
    breaker: new CircuitBreaker(),
  };
}

/**
 * Reads what an image starts, from its mirrors or its registry, as the kubelet would find it: with every credential
 * that matches, one after the other, or with none.
 *
 * @throws ImageError; of several servers' the registry's own
 */
export async function lookUpImage(text: string, options: LookupOptions): Promise<FoundImage> {
  const reference = parseImageReference(text, options.settings.defaultRegistry);
  const limits = options.limits ?? lookupLimits;
  const operation = `read image ${formatReference(reference)}`;
  using total = totalDeadline(operation, limits, options.signal);
  const lookup: Lookup = {
    reference,
    options,
    limits,
    memory: options.memory ?? lookupMemory(),
    operation,
  };
  const endpoints = registryEndpoints(reference, options.settings);
  const endsMs = performance.now() + limits.totalMs;
  for (const endpoint of endpoints.slice(0, -1)) {
    // A mirror that hangs leaves the others their time.
    const shareMs = (endsMs - performance.now()) / 2;
    using share = deadline(
      shareMs,
      () => tooLate(`${operation} at ${endpoint.host}`, shareMs),
      total.signal,
    );
    const found = await askEndpoint(endpoint, lookup, share.signal).catch((error: unknown) => {
      if (total.signal.aborted || !(error instanceof ImageError)) throw error;
      return undefined;
    });
    if (found !== undefined) return found;
  }
  const own = endpoints.at(-1);
  if (own === undefined) throw new RangeError("an image has a registry");
  return askEndpoint(own, lookup, total.signal);
}

interface Lookup {
  readonly reference: ImageReference;
  readonly options: LookupOptions;
  readonly limits: LookupLimits;
  readonly memory: LookupMemory;
  readonly operation: string;
}

function totalDeadline(
  operation: string,
  { totalMs }: LookupLimits,
  signal: AbortSignal | undefined,
): Deadline {
  const all = deadline(totalMs, () => tooLate(operation, totalMs));
  if (signal === undefined) return all;
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort(new ImageError("CANCELLED", `${operation}: cancelled`));
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  return {
    signal: AbortSignal.any([all.signal, cancelled.signal]),
    [Symbol.dispose]: () => {
      signal.removeEventListener("abort", cancel);
      all[Symbol.dispose]();
    },
  };
}

function tooLate(operation: string, limitMs: number): ImageError {
  return new ImageError("TIMEOUT", `${operation}: not within ${Math.round(limitMs)} ms`);
}

/** What a server is left alone for when it happens again and again: not for what it says of one image. */
const serverFaults: ReadonlySet<ImageErrorCode> = new Set([
  "UNREACHABLE",
  "TIMEOUT",
  "SERVER_ERROR",
  "TLS",
]);

async function askEndpoint(
  endpoint: RegistryEndpoint,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<FoundImage> {
  const { breaker } = lookup.memory;
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
  const { credentials = [], settings } = lookup.options;
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
  const { options, limits, memory, reference, operation } = lookup;
  // A limit of requests is that of a user, not of the server.
  const user = `${endpoint.origin} ${credential?.fingerprint ?? ""}`;
  refuseWhileOpen(user, endpoint, lookup);
  const transport = { settings: options.settings, requestMs: limits.requestMs, signal };
  const session = new RegistrySession({
    endpoint,
    credential,
    transport,
    tokens: memory.tokens,
    limits,
  });
  const { platform } = options;
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
