import type { Fetch } from "./client-options.ts";
import { connectionFailure } from "./connection-failure.ts";
import { readBody } from "./read-body.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { runningTimeout } from "./running-timeout.ts";
import { reveal } from "./secret.ts";
import { transportError } from "./transport-error.ts";
import { VaultError } from "./vault-error.ts";
import type { RequestSubject, VaultRequest, VaultResponse } from "./vault-request.ts";
import { fetchTls, type VaultTls } from "./vault-tls.ts";

/** What stays the same for every request of a client. */
export interface Connection {
  /** Checked by `parseAddress`. */
  readonly address: string;
  readonly namespace: string | undefined;
  readonly tls: VaultTls;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: Fetch;
}

/**
 * Sends one request once and reads the whole answer, whatever its status.
 *
 * @param timeoutMs limit of it all, redirects and body included
 * @throws VaultError for everything that keeps a complete answer from arriving
 */
export async function sendRequest(
  connection: Connection,
  request: VaultRequest,
  timeoutMs: number,
): Promise<VaultResponse> {
  using running = request.arrivesOnce ? runningTimeout(timeoutMs) : undefined;
  const timeout = running?.signal ?? AbortSignal.timeout(timeoutMs);
  const signal = connection.signal ? AbortSignal.any([connection.signal, timeout]) : timeout;
  try {
    const response = await followRedirects(connection, request, signal);
    return {
      status: response.status,
      retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), Date.now()),
      body: await readBody(response, connection.maxResponseBytes, request),
    };
  } catch (error) {
    if (connection.signal?.aborted) throw cancelled(request, error);
    if (timeout.aborted) throw timedOut(request, timeoutMs, error);
    if (error instanceof VaultError) throw error;
    const operation = `${request.operation}: in the middle of the answer`;
    throw transportError(error, { operation, path: request.path }, false);
  }
}

/** The error of an operation whose caller gave up. */
export function cancelled(request: RequestSubject, cause: unknown): VaultError {
  return new VaultError("CANCELLED", `${request.operation}: cancelled`, {
    path: request.path,
    cause,
  });
}

function timedOut(request: VaultRequest, timeoutMs: number, cause: unknown): VaultError {
  const found = `no complete answer within ${Math.round(timeoutMs)} ms`;
  return new VaultError("TIMEOUT", `${request.operation}: ${found}`, { path: request.path, cause });
}

async function followRedirects(
  connection: Connection,
  request: VaultRequest,
  signal: AbortSignal,
): Promise<Response> {
  const init = requestInit(connection, request, signal);
  let url = `${connection.address}/v1/${request.target}`;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await fetchOnce(connection, request, url, init);
    const target = redirectTarget(request, url, response);
    if (target === undefined) return response;
    await response.body?.cancel();
    if (request.mayRedirect === false) throw notHere(request, target);
    url = target;
  }
  throw new VaultError(
    "REDIRECT_LOOP",
    `${request.operation}: redirected more than ${MAX_REDIRECTS} times`,
    { path: request.path },
  );
}

function notHere(request: VaultRequest, target: string): VaultError {
  const found = `refused to be redirected to ${new URL(target).host}: it is for this node alone`;
  return new VaultError("REDIRECT_REFUSED", `${request.operation}: ${found}`, {
    path: request.path,
    hint: "address the node itself, not something in front of it",
  });
}

async function fetchOnce(
  connection: Connection,
  request: VaultRequest,
  url: string,
  init: BunFetchRequestInit,
): Promise<Response> {
  const { fetch, tls } = connection;
  try {
    return await fetch(url, url.startsWith("https:") ? { ...init, tls: fetchTls(tls) } : init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw await connectionFailure({ request, url, error, tls, fetch });
  }
}

function requestInit(
  connection: Connection,
  request: VaultRequest,
  signal: AbortSignal,
): BunFetchRequestInit {
  const body = request.body?.();
  return {
    method: request.method,
    headers: {
      // Vault's agent and proxy answer only requests that a redirecting browser could not forge.
      "X-Vault-Request": "true",
      // A compressed body would pass the size limit before it grows.
      "Accept-Encoding": "identity",
      ...(request.token && { "X-Vault-Token": reveal(request.token) }),
      ...(connection.namespace &&
        !request.rootNamespace && { "X-Vault-Namespace": connection.namespace }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body }),
    redirect: "manual",
    decompress: false,
    ...(request.arrivesOnce && { keepalive: false }),
    signal,
  };
}
