import type { ImageErrorCode } from "./error-catalogue.ts";
import { ImageError } from "./image-error.ts";
import type { RegistryAnswer } from "./send-request.ts";

/** The error of an answer other than 200. */
export function statusError({ status, headers }: RegistryAnswer, operation: string): ImageError {
  return new ImageError(codeOf(status), `${operation}: status ${status}`, {
    retryAfterMs: retryAfter(headers.get("retry-after")),
  });
}

function codeOf(status: number): ImageErrorCode {
  if (status === 401 || status === 403) return "DENIED";
  if (status === 404) return "NOT_FOUND";
  if (status === 429) return "RATE_LIMITED";
  return status >= 500 ? "SERVER_ERROR" : "BAD_ANSWER";
}

/**
 * Milliseconds that a Retry-After header asks for (RFC 9110 §10.2.3); undefined if it is invalid.
 */
function retryAfter(header: string | null): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]+, /.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}
