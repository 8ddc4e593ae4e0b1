import type { ImageErrorCode } from "./error-catalogue.ts";
import { ImageError } from "./image-error.ts";

type Fault = readonly [code: ImageErrorCode, found: string];

const UNKNOWN_AUTHORITY: Fault = ["TLS", "its certificate is signed by an unknown authority"];
const CLOSED: Fault = ["UNREACHABLE", "the connection was closed"];

/** Codes of Bun 1.4.5's fetch; most come from OpenSSL's or the system's names. */
const faults: Readonly<Record<string, Fault>> = {
  ECONNREFUSED: ["UNREACHABLE", "connection refused"],
  ECONNRESET: CLOSED,
  ConnectionClosed: CLOSED,
  FailedToOpenSocket: ["UNREACHABLE", "the socket could not be opened"],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: ["TLS", "its certificate is for another name"],
  CERT_HAS_EXPIRED: ["TLS", "its certificate has expired"],
  CERT_NOT_YET_VALID: ["TLS", "its certificate is not valid yet"],
  EPROTO: ["TLS", "the TLS handshake failed"],
  Malformed_HTTP_Response: ["BAD_ANSWER", "the answer is not HTTP"],
  ResponseHeadersTooLarge: ["TOO_LARGE", "the headers of the answer are too large"],
};

/**
 * Gives an error of fetch one of our codes. `cause` is kept: Bun's errors hold no header and no
 * body.
 */
export function fetchFailure(error: unknown, operation: string): ImageError {
  const [code, found] = faultOf(error);
  return new ImageError(code, `${operation}: ${found}`, { cause: error });
}

function faultOf(error: unknown): Fault {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (error instanceof Error && "syscall" in error && error.syscall === "getaddrinfo") {
    return ["UNREACHABLE", `the host name does not resolve (${code})`];
  }
  const known = Object.hasOwn(faults, code) ? faults[code] : undefined;
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL/.test(code)) return ["TLS", `TLS failed (${code})`];
  return ["UNREACHABLE", `the connection failed (${code || "no code"})`];
}
