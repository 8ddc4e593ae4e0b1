import type { SecretBytes } from "@svc/secret-bytes";
import { connectionFailure } from "./connection-failure.ts";
import { faultError } from "./fault-error.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { runningTimeout } from "./running-timeout.ts";
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from "./transport.ts";
import { VaultError } from "./vault-error.ts";
import type { RequestSubject, VaultRequest, VaultResponse } from "./vault-request.ts";
import type { VaultTls } from "./vault-tls.ts";

/** What stays the same for every request of a client. */
export interface Connection {
  /** Checked by `parseAddress`. */
  readonly address: string;
  readonly namespace: string | undefined;
  readonly tls: VaultTls;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly transport: Transport;
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
    const { status, header, body } = await followRedirects(connection, request, signal);
    if (!body.isUtf8()) throw notUtf8(request);
    return { status, body, retryAfterMs: parseRetryAfter(header("retry-after"), Date.now()) };
  } catch (error) {
    if (connection.signal?.aborted) throw cancelled(request, error);
    if (timeout.aborted) throw timedOut(request, timeoutMs, error);
    throw error;
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

function notUtf8(request: VaultRequest): VaultError {
  const message = `${request.operation}: the answer is not UTF-8 text`;
  return new VaultError("BAD_RESPONSE", message, { path: request.path });
}

async function followRedirects(
  connection: Connection,
  request: VaultRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const first = httpRequest(connection, request, signal);
  let { url } = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await sendOnce(connection.transport, request, { ...first, url });
    const target = redirectTarget(request, url, response);
    if (target === undefined) return response;
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

async function sendOnce(
  transport: Transport,
  request: VaultRequest,
  sent: HttpRequest,
): Promise<HttpResponse> {
  try {
    return await transport(sent);
  } catch (error) {
    if (sent.signal.aborted || !(error instanceof TransportError)) throw error;
    if (error.fault === "body too large") throw tooLarge(request, sent.maxBytes, error);
    if (!error.answered) {
      throw await connectionFailure({ subject: request, sent, error, transport });
    }
    const operation = `${request.operation}: in the middle of the answer`;
    throw faultError(error, { operation, path: request.path });
  }
}

function tooLarge(request: VaultRequest, maxBytes: number, cause: unknown): VaultError {
  const message = `${request.operation}: the answer has more than ${maxBytes} bytes`;
  return new VaultError("TOO_LARGE", message, { path: request.path, cause });
}

function httpRequest(
  connection: Connection,
  request: VaultRequest,
  signal: AbortSignal,
): HttpRequest {
  const { method, target, body, arrivesOnce = false } = request;
  const { address, tls, maxResponseBytes } = connection;
  return {
    method,
    url: `${address}/v1/${target}`,
    headers: headersOf(connection, request),
    body,
    tls,
    maxBytes: maxResponseBytes,
    ownConnection: arrivesOnce,
    signal,
  };
}

function headersOf(
  { namespace }: Connection,
  { token, body, rootNamespace }: VaultRequest,
): HttpRequest["headers"] {
  const headers: [string, string | SecretBytes][] = [
    // Vault's agent and proxy answer only requests that a redirecting browser could not forge.
    ["X-Vault-Request", "true"],
    // A compressed body would pass the size limit before it grows.
    ["Accept-Encoding", "identity"],
  ];
  if (token !== undefined) headers.push(["X-Vault-Token", token.bytes]);
  if (namespace && !rootNamespace) headers.push(["X-Vault-Namespace", namespace]);
  if (body !== undefined) headers.push(["Content-Type", "application/json"]);
  return headers;
}
