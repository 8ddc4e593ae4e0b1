import { VaultError } from "../errors/vault-error.ts";
import type { HttpResponse } from "./transport.ts";
import type { RequestSubject } from "./vault-request.ts";

/** Standby nodes redirect once; the rest is room for a load balancer in front of them. */
export const MAX_REDIRECTS = 3;

/**
 * Where a redirect leads.
 *
 * The trust rule: the token follows, as in Vault's own client. The answer came from the server that
 * got the token, and the next server must pass the same TLS verification. It refuses weaker
 * redirects: from https down to http, to another scheme, to an address with credentials in it. The
 * method and body stay; 303 would change them, so it is not a redirect here.
 *
 * @throws VaultError `REDIRECT_REFUSED` or `BAD_RESPONSE` (no usable Location).
 */
export function redirectTarget(
  request: RequestSubject,
  from: string,
  response: HttpResponse,
): string {
  const { status } = response;
  const location = response.header("location");
  const target = location === undefined ? null : URL.parse(location, from);
  const details = { status, path: request.path };
  if (target === null) {
    throw new VaultError(
      "BAD_RESPONSE",
      `${request.operation}: status ${status} without a usable Location`,
      details,
    );
  }
  const problem = redirectProblem(new URL(from), target);
  if (problem === undefined) return target.href;
  throw new VaultError(
    "REDIRECT_REFUSED",
    `${request.operation}: refused to be redirected: ${problem}`,
    details,
  );
}

function redirectProblem(from: URL, target: URL): string | undefined {
  if (target.protocol !== "https:" && target.protocol !== "http:") {
    return "the target is neither http nor https";
  }
  if (from.protocol === "https:" && target.protocol === "http:") {
    return `from https down to http at ${target.host}`;
  }
  if (target.username !== "" || target.password !== "") return "the target holds credentials";
  return undefined;
}
