import { VaultError } from "../errors/vault-error.ts";
import { explainFailure } from "./explain-failure.ts";
import { isRedirect } from "./is-redirect.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from "./transport.ts";
import type { VaultRequest } from "./vault-request.ts";

/** A request whose answer names another place. */
export interface RedirectedRequest {
  readonly request: VaultRequest;
  readonly sent: HttpRequest;
  readonly answer: HttpResponse;
  readonly transport: Transport;
}

/**
 * Sends the request to the place that each answer names, to the first answer that is not a
 * redirect.
 *
 * @throws VaultError `REDIRECT_LOOP`, `REDIRECT_REFUSED`, and for every failure of a request.
 */
export async function followRedirects(first: RedirectedRequest): Promise<HttpResponse> {
  const { request, transport } = first;
  let { sent, answer } = first;
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const url = redirectTarget(request, sent.url, answer);
    if (request.mayRedirect === false) throw notHere(request, url);
    sent = { ...sent, url };
    answer = await sendOnce(transport, request, sent);
    if (!isRedirect(answer)) return answer;
  }
  throw new VaultError(
    "REDIRECT_LOOP",
    `${request.operation}: redirected more than ${MAX_REDIRECTS} times`,
    { path: request.path },
  );
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
    throw await explainFailure({ subject: request, sent, error, transport });
  }
}

function notHere(request: VaultRequest, target: string): VaultError {
  const found = `refused to be redirected to ${new URL(target).host}: it is for this node alone`;
  return new VaultError("REDIRECT_REFUSED", `${request.operation}: ${found}`, {
    path: request.path,
    hint: "address the node itself, not something in front of it",
  });
}
