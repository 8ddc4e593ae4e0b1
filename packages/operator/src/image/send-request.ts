import { fetchFailure } from "./fetch-failure.ts";
import { ImageError } from "./image-error.ts";
import { readBytes } from "./read-bytes.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import type { RegistrySettings } from "./registry-settings.ts";

/** One request, and the limits for its answer. */
export interface RegistryRequest {
  readonly url: string;
  /**
   * The operation, for the beginning of messages: `read image X: its manifest at HOST`. Holds no
   * secret.
   */
  readonly operation: string;
  readonly accept?: string | undefined;
  readonly authorization?: string | undefined;
  /** Asks for the headers alone. */
  readonly head?: boolean | undefined;
  /** Makes it a POST. */
  readonly form?: URLSearchParams | undefined;
  readonly maxBytes: number;
}

/** A complete answer. */
export interface RegistryAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty unless the status is 200, and for a request of the headers alone. */
  readonly bytes: Uint8Array;
}

/** The common inputs of all requests of a lookup. */
export interface Transport {
  readonly settings: RegistrySettings;
  readonly requestMs: number;
  /** Ends the lookup. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request, follows a redirect, and reads the answer within its bounds.
 *
 * @throws ImageError for everything that keeps a complete answer from arriving
 */
export async function sendRequest(
  transport: Transport,
  request: RegistryRequest,
): Promise<RegistryAnswer> {
  const timeout = AbortSignal.timeout(transport.requestMs);
  const signal = AbortSignal.any([transport.signal, timeout]);
  try {
    const response = await followRedirects(transport, request, signal);
    const { status, headers } = response;
    if (status === 200 && request.head !== true) {
      return { status, headers, bytes: await readBytes(response, request) };
    }
    await response.body?.cancel();
    return { status, headers, bytes: new Uint8Array() };
  } catch (error) {
    if (transport.signal.aborted) throw transport.signal.reason;
    if (timeout.aborted) throw timedOut(request, transport.requestMs, error);
    if (error instanceof ImageError) throw error;
    throw fetchFailure(error, request.operation);
  }
}

function timedOut({ operation }: RegistryRequest, limitMs: number, cause: unknown): ImageError {
  return new ImageError("TIMEOUT", `${operation}: no complete answer within ${limitMs} ms`, {
    cause,
  });
}

async function followRedirects(
  { settings }: Transport,
  request: RegistryRequest,
  signal: AbortSignal,
): Promise<Response> {
  let url = new URL(request.url);
  let { authorization } = request;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await fetch(
      url,
      fetchOptions({ ...request, authorization }, url, settings, signal),
    );
    const target = redirectTarget(request, url, response, settings);
    if (target === undefined) return response;
    await response.body?.cancel();
    // Storage elsewhere is given a signed URL instead; after another server the credential is not
    // sent again.
    if (target.origin !== url.origin) authorization = undefined;
    url = target;
  }
  throw new ImageError(
    "REDIRECT_REFUSED",
    `${request.operation}: sent on more than ${MAX_REDIRECTS} times`,
  );
}

function fetchOptions(
  { accept, authorization, head, form }: RegistryRequest,
  url: URL,
  settings: RegistrySettings,
  signal: AbortSignal,
): BunFetchRequestInit {
  const options: BunFetchRequestInit & { readonly proxy: false } = {
    headers: {
      // A compressed body would pass the size limit before it grows.
      "Accept-Encoding": "identity",
      ...(accept !== undefined && { Accept: accept }),
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    ...(head === true && { method: "HEAD" }),
    ...(form !== undefined && { method: "POST", body: form }),
    redirect: "manual",
    decompress: false,
    // Without it, variables of the environment would choose who sees the credentials.
    proxy: false,
    signal,
    ...(url.protocol === "https:" && { tls: tlsFor(url.host, settings) }),
  };
  return options;
}

function tlsFor(host: string, { insecureRegistries, authorities }: RegistrySettings) {
  const unchecked =
    Object.hasOwn(insecureRegistries, host) && insecureRegistries[host] === "skip-verify";
  const ca = Object.hasOwn(authorities, host) ? authorities[host] : authorities["*"];
  return { rejectUnauthorized: !unchecked, ...(ca !== undefined && { ca: [...ca] }) };
}
