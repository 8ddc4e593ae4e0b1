import type { ImageErrorCode } from "./error-catalogue.ts";
import { ImageError } from "./image-error.ts";
import type { RegistryAnswer } from "./send-request.ts";

/** The error of an answer other than 200. */
export function statusError({ status, headers }: RegistryAnswer, operation: string): ImageError {
  const code = codeOf(status);
  const retryAfterMs = retryAfter(headers.get("retry-after"));
  const found = code === "RATE_LIMITED" ? limited(retryAfterMs) : "";
  return new ImageError(code, `${operation}: status ${status}${found}`, { retryAfterMs });
}

/** In the word that registries and the kubelet's events have for it. */
function limited(retryAfterMs: number | undefined): string {
  const again =
    retryAfterMs === undefined ? "" : `, it may be asked again in ${inSeconds(retryAfterMs)}`;
  return ` (toomanyrequests): the limit of requests is reached${again}`;
}

/** `7 s`, rounded up. */
export function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

function codeOf(status: number): ImageErrorCode {
  if (status === 401 || status === 403) return "DENIED";
  if (status === 404) return "NOT_FOUND";
  if (status === 429) return "RATE_LIMITED";
  return status >= 500 ? "SERVER_ERROR" : "BAD_ANSWER";
}

/** Numbers from here on can only be seconds since 1970, which some servers send. */
const LEAST_TIME_S = 1_000_000_000;

/**
 * Milliseconds that a Retry-After header asks for (RFC 9110 §10.2.3); undefined if it is invalid.
 */
function retryAfter(header: string | null): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,15}$/.test(text)) {
    const seconds = Number(text);
    return seconds < LEAST_TIME_S ? seconds * 1000 : Math.max(0, seconds * 1000 - Date.now());
  }
  if (!/^[A-Z][a-z]+, /.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}
