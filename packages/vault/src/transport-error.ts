import type { VaultErrorCode } from "./error-catalogue.ts";
import { VaultError } from "./vault-error.ts";
import type { RequestSubject } from "./vault-request.ts";

interface Fault {
  readonly code: VaultErrorCode;
  readonly found: string;
  readonly hint?: string;
}

const UNKNOWN_AUTHORITY: Fault = {
  code: "TLS",
  found: "the server's certificate is signed by an unknown authority",
  hint: "set VAULT_CACERT to a PEM file with the certificate of the authority that signed it",
};

const RESET: Fault = { code: "UNREACHABLE", found: "the connection was closed" };

/** Codes of Bun 1.4.5's fetch; most come from OpenSSL's or the system's names. */
const faults: Readonly<Record<string, Fault>> = {
  ECONNREFUSED: { code: "UNREACHABLE", found: "connection refused" },
  ECONNRESET: RESET,
  ConnectionClosed: RESET,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: "TLS",
    found: "the server's certificate is for another name",
    hint: "use a name of the certificate in VAULT_ADDR, or set VAULT_TLS_SERVER_NAME to one",
  },
  CERT_HAS_EXPIRED: {
    code: "TLS",
    found: "the server's certificate has expired",
    hint: "renew the server's certificate, and check the clock of this host",
  },
  CERT_NOT_YET_VALID: {
    code: "TLS",
    found: "the server's certificate is not valid yet",
    hint: "check the clocks of this host and of the one that made the certificate",
  },
  EPROTO: {
    code: "TLS",
    found: "the TLS handshake failed",
    hint: "the server may demand a client certificate: set VAULT_CLIENT_CERT and VAULT_CLIENT_KEY",
  },
  Malformed_HTTP_Response: { code: "BAD_RESPONSE", found: "the answer is not HTTP" },
  ResponseHeadersTooLarge: { code: "TOO_LARGE", found: "the headers of the answer are too large" },
  // Without a reason; with usable addresses it means TLS material that OpenSSL refused.
  FailedToOpenSocket: { code: "UNREACHABLE", found: "the socket could not be opened" },
};

const UNUSABLE_MATERIAL: Fault = {
  code: "TLS",
  found: "the given CA, client certificate or key cannot be used",
  hint: "check that VAULT_CLIENT_KEY belongs to VAULT_CLIENT_CERT, and what VAULT_CACERT holds",
};

/** Gives what fetch threw a code of ours. `cause` is kept: Bun's errors hold no header and no body. */
export function transportError(
  error: unknown,
  request: RequestSubject,
  givesTlsMaterial: boolean,
): VaultError {
  const code = codeOf(error);
  const fault = pickFault(error, code, givesTlsMaterial);
  return new VaultError(fault.code, `${request.operation}: ${fault.found}`, {
    hint: fault.hint,
    path: request.path,
    cause: error,
  });
}

/** The `code` of an error of the system or of fetch, else an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function pickFault(error: unknown, code: string, givesTlsMaterial: boolean): Fault {
  if (error instanceof Error && "syscall" in error && error.syscall === "getaddrinfo") {
    return { code: "DNS", found: `the host name does not resolve (${code})` };
  }
  if (code === "FailedToOpenSocket" && givesTlsMaterial) return UNUSABLE_MATERIAL;
  const known = Object.hasOwn(faults, code) ? faults[code] : undefined;
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL/.test(code)) return { code: "TLS", found: `TLS failed (${code})` };
  return { code: "UNREACHABLE", found: `the connection failed (${code || "no code"})` };
}
