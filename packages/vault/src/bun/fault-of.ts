import type { HttpFault } from "../http/transport.ts";

/** A fault and, if its kind says less than Bun does, Bun's word for it. */
export interface FoundFault {
  readonly fault: HttpFault;
  readonly detail?: string;
}

/** Codes of Bun 1.4.5's fetch; most come from OpenSSL's or the system's names. */
const faults: Readonly<Record<string, HttpFault>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "closed",
  ConnectionClosed: "closed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unknown authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "unknown authority",
  SELF_SIGNED_CERT_IN_CHAIN: "unknown authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "wrong name",
  CERT_HAS_EXPIRED: "expired",
  CERT_NOT_YET_VALID: "not yet valid",
  CERT_SIGNATURE_FAILURE: "bad certificate",
  INVALID_CA: "bad certificate",
  INVALID_PURPOSE: "bad certificate",
  PATH_LENGTH_EXCEEDED: "bad certificate",
  EPROTO: "handshake",
  Malformed_HTTP_Response: "not HTTP",
  ResponseHeadersTooLarge: "headers too large",
};

/**
 * The fault that an error of fetch stands for.
 *
 * @param givesTlsMaterial whether the request had a certificate or an authority of ours
 */
export function faultOf(error: unknown, givesTlsMaterial: boolean): FoundFault {
  const code = codeOf(error);
  if (error instanceof Error && "syscall" in error && error.syscall === "getaddrinfo") {
    return { fault: "name not found", detail: code };
  }
  // It has no reason; with usable addresses it means TLS material that OpenSSL refused.
  if (code === "FailedToOpenSocket" && givesTlsMaterial) return { fault: "unusable material" };
  const known = Object.hasOwn(faults, code) ? faults[code] : undefined;
  if (known !== undefined) return { fault: known };
  if (/CERT|TLS|SSL/.test(code)) return { fault: "handshake", detail: code };
  return { fault: "unreachable", detail: code || "no code" };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
