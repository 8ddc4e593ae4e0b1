import type { SecretBytes } from "@svc/secret-bytes";
import { VaultError } from "../errors/vault-error.ts";
import type { VaultTls } from "../tls/vault-tls.ts";
import { clockTimeout } from "./clock-timeout.ts";
import type { RedirectedRequest } from "./follow-redirects.ts";
import { isRedirect } from "./is-redirect.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { runningTimeout } from "./running-timeout.ts";
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from "./transport.ts";
import type { RequestSubject, VaultRequest, VaultResponse } from "./vault-request.ts";

/** The common inputs of a client's requests. */
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
 * Sends one request once and reads the whole answer, for every status.
 *
 * @param timeoutMs limit of it all, redirects and body included
 * @throws VaultError for everything that keeps a complete answer from arriving
 */
export async function sendRequest(
  connection: Connection,
  request: VaultRequest,
  timeoutMs: number,
): Promise<VaultResponse> {
  using limit = request.arrivesOnce ? runningTimeout(timeoutMs) : clockTimeout(timeoutMs);
  const timeout = limit.signal;
  const signal = connection.signal ? AbortSignal.any([connection.signal, timeout]) : timeout;
  const sent = httpRequest(connection, request, signal);
  try {
    const answer = await connection.transport(sent);
    const response = isRedirect(answer)
      ? await redirected({ request, sent, answer, transport: connection.transport })
      : answer;
    const { status, header, body } = response;
    if (!body.isUtf8()) throw notUtf8(request);
    return { status, body, retryAfterMs: parseRetryAfter(header("retry-after"), Date.now()) };
  } catch (error) {
    // A name server took all of the time: the vault was not asked yet.
    const isUnnamed = error instanceof TransportError && error.fault === "name not found";
    const isKnown = (signal.aborted && !isUnnamed) || !(error instanceof TransportError);
    const told = isKnown ? error : await explained(connection, request, { sent, error });
    if (connection.signal?.aborted) throw cancelled(request, told);
    if (timeout.aborted && !isUnnamed) throw timedOut(request, timeoutMs, told);
    throw told;
  }
}

/** Most requests need neither of these: they are loaded with the first that does. */
async function redirected(first: RedirectedRequest): Promise<HttpResponse> {
  const { followRedirects } = await import("./follow-redirects.ts");
  return followRedirects(first);
}

async function explained(
  { transport }: Connection,
  request: VaultRequest,
  { sent, error }: { readonly sent: HttpRequest; readonly error: TransportError },
): Promise<VaultError> {
  const { explainFailure } = await import("./explain-failure.ts");
  return explainFailure({ subject: request, sent, error, transport });
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
