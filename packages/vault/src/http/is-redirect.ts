import type { HttpResponse } from "./transport.ts";

/** True for an answer that names another place for the same request; RFC 9110 section 15.4. */
export function isRedirect({ status }: HttpResponse): boolean {
  return status === 301 || status === 302 || status === 307 || status === 308;
}
