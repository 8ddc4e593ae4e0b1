import { ImageError } from "./image-error.ts";
import { isPrivateAddress } from "./private-address.ts";
import type { RegistrySettings } from "./registry-settings.ts";

/** Storage is one hop away, at times two. */
export const MAX_REDIRECTS = 3;

/**
 * The address that an answer sends on to, or undefined if it does not.
 *
 * @throws ImageError `REDIRECT_REFUSED` from https to http, and to a private address that is
 * neither the registry's own nor a trusted one. Also for requests that carry a secret in their body
 */
export function redirectTarget(
  request: { readonly operation: string; readonly form?: URLSearchParams | undefined },
  from: URL,
  response: Response,
  settings: RegistrySettings,
): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const target = URL.parse(response.headers.get("location") ?? "", from.href);
  if (target === null || response.headers.get("location") === null) {
    throw new ImageError("BAD_ANSWER", `${request.operation}: sent on, but without an address`);
  }
  const problem =
    request.form === undefined
      ? strayProblem(from, target, settings)
      : "a request with a secret in it";
  if (problem === undefined) return target;
  throw new ImageError(
    "REDIRECT_REFUSED",
    `${request.operation}: refused to be sent on: ${problem}`,
  );
}

/** Why nothing is sent to a URL that a server named, or undefined if it may be. */
export function strayProblem(
  from: URL,
  target: URL,
  { trustedHosts }: RegistrySettings,
): string | undefined {
  if (target.protocol !== "https:" && target.protocol !== "http:")
    return "it is neither http nor https";
  if (target.username !== "" || target.password !== "") return "the address holds credentials";
  if (from.protocol === "https:" && target.protocol === "http:") {
    return `from https down to http at ${target.host}`;
  }
  if (target.host === from.host || trustedHosts.includes(target.host)) return undefined;
  return isPrivateAddress(target.hostname) ? `${target.host} is a private address` : undefined;
}
