import type { VaultErrorCode } from "../errors/error-catalogue.ts";
import { VaultError } from "../errors/vault-error.ts";
import type { VaultTls } from "../tls/vault-tls.ts";
import { tlsHint } from "./tls-hint.ts";
import type { HttpFault, TransportError } from "./transport.ts";
import type { RequestSubject } from "./vault-request.ts";

interface FaultMeaning {
  readonly code: VaultErrorCode;
  readonly found: string;
  readonly hint?: string;
}

const meanings: Readonly<Record<HttpFault, FaultMeaning>> = {
  refused: { code: "UNREACHABLE", found: "connection refused" },
  unreachable: { code: "UNREACHABLE", found: "the connection failed" },
  closed: { code: "UNREACHABLE", found: "the connection was closed" },
  "name not found": { code: "DNS", found: "the host name does not resolve" },
  "unknown authority": {
    code: "TLS",
    found: "the server's certificate is signed by an unknown authority",
    hint: "set VAULT_CACERT to a PEM file with the certificate of the authority that signed it. For pods put its text into caBundle of their SvcConfig, and for the chart svc-secretstore name it in ca.configMap",
  },
  "wrong name": {
    code: "TLS",
    found: "the server's certificate is for another name",
    hint: "use a name of the certificate in VAULT_ADDR, or set VAULT_TLS_SERVER_NAME to one",
  },
  expired: {
    code: "TLS",
    found: "the server's certificate has expired",
    hint: "renew the server's certificate, and check the clock of this host",
  },
  "not yet valid": {
    code: "TLS",
    found: "the server's certificate is not valid yet",
    hint: "check the clocks of this host and of the one that made the certificate",
  },
  "bad certificate": {
    code: "TLS",
    found: "the server's certificate cannot be accepted",
    hint: "renew or repair the certificate that the reason names: the server's, one of its chain, or the authority in VAULT_CACERT",
  },
  handshake: { code: "TLS", found: "the TLS handshake failed" },
  "unusable material": { code: "TLS", found: "the given TLS settings cannot be used" },
  "not HTTP": { code: "BAD_RESPONSE", found: "the answer is not HTTP" },
  "headers too large": {
    code: "TOO_LARGE",
    found: "the headers of the answer are too large",
    hint: "a vault's headers are small: check that VAULT_ADDR is the vault itself and not something in front of it",
  },
  "body too large": { code: "TOO_LARGE", found: "the answer is too large" },
  aborted: { code: "CANCELLED", found: "cancelled" },
};

/**
 * Gives a fault of the transport a code of ours.
 *
 * @param tls with which the request was sent
 */
export function faultError(
  error: TransportError,
  request: RequestSubject,
  tls: VaultTls,
): VaultError {
  const { code, found, hint = tlsHint(error, tls) } = meanings[error.fault];
  const detail = error.detail === undefined ? "" : ` (${error.detail})`;
  return new VaultError(code, `${request.operation}: ${found}${detail}`, {
    hint,
    path: request.path,
    cause: error,
  });
}
