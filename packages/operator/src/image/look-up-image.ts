import { askEndpoint } from "./ask-endpoint.ts";
import { type Deadline, deadline } from "./deadline.ts";
import type { CredentialEntry } from "./docker-auths.ts";
import type { FoundImage } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import { formatReference, type ImageReference, parseImageReference } from "./image-reference.ts";
import { type LookupMemory, lookupMemory } from "./lookup-memory.ts";
import type { NamespaceLogins } from "./operator-login.ts";
import type { PlatformConstraint } from "./platform.ts";
import { registryEndpoints } from "./registry-endpoint.ts";
import { type LookupLimits, lookupLimits, type RegistrySettings } from "./registry-settings.ts";

/** How an image is looked up. */
export interface LookupOptions {
  /** The credentials of the pod's pull secrets and its service account's, in this order. */
  readonly credentials?: readonly CredentialEntry[];
  /** The operator's own, for the pod's namespace. */
  readonly logins?: NamespaceLogins | undefined;
  readonly platform: PlatformConstraint;
  readonly settings: RegistrySettings;
  /** By default `lookupLimits`. */
  readonly limits?: LookupLimits;
  /** By default nothing is remembered. */
  readonly memory?: LookupMemory;
  readonly signal?: AbortSignal;
}

/**
 * Reads the command of an image, from its mirrors or its registry, as the kubelet would find it:
 * with every credential that matches, one after the other, or with none.
 *
 * @throws ImageError; of several servers' that of the last
 */
export async function lookUpImage(text: string, options: LookupOptions): Promise<FoundImage> {
  const reference = parseImageReference(text, options.settings.defaultRegistry);
  const limits = options.limits ?? lookupLimits;
  const operation = `read image ${formatReference(reference)}`;
  using total = totalDeadline(operation, limits, options.signal);
  const { credentials = [], logins, platform, settings, memory = lookupMemory() } = options;
  const common = { platform, settings, limits, memory, operation };
  const lookup = { reference, credentials, logins, ...common };
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
  const last = endpoints.at(-1);
  if (last === undefined) throw notAsked(operation, reference);
  // Awaited here: the deadline ends with this function.
  return await askEndpoint(last, lookup, total.signal);
}

function notAsked(operation: string, { registry }: ImageReference): ImageError {
  return new ImageError("NOT_ASKED", `${operation}: ${registry} has no mirror in the settings`);
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
