import type { VaultTls } from "../tls/vault-tls.ts";
import type { TransportError } from "./transport.ts";

/**
 * The hint for a fault of TLS whose detail tells the side that has to change. An alert is all that a
 * server says: its hint has the common meanings, and claims no more.
 *
 * @param tls with which the request was sent
 */
export function tlsHint({ fault, detail }: TransportError, tls: VaultTls): string | undefined {
  if (fault === "unusable material") return materialHints[detail ?? ""] ?? MATERIAL;
  if (fault !== "handshake") return undefined;
  // Bun tells no alert.
  if (detail === undefined) return `the server may demand a client certificate: ${GIVE}`;
  const alert = /^alert (.*)/.exec(detail)?.[1];
  if (alert === undefined) return handshakeHints[detail];
  if (aboutClients.has(alert)) {
    return tls.cert === undefined
      ? `the server commonly demands a client certificate by this alert: ${GIVE}`
      : "the server refuses the client certificate: check VAULT_CLIENT_CERT";
  }
  return alertHints[alert];
}

const GIVE = "set VAULT_CLIENT_CERT and VAULT_CLIENT_KEY";
const VERSIONS = "the server has to speak TLS 1.2 or 1.3";
const SUITES =
  "the server has to offer cipher suites with ECDHE, and AES-GCM or ChaCha20 (not CBC), over X25519, P-256 or P-384";

/** The hints for alerts of TLS by their names in rustls; RFC 8446 section 6.2. */
const alertHints: Readonly<Record<string, string>> = {
  CertificateRequired: `the server demands a client certificate: ${GIVE}`,
  HandshakeFailure: `commonly the server has no cipher suite or curve in common, or demands a client certificate: ${SUITES}, or ${GIVE}`,
  ProtocolVersion: VERSIONS,
  InsufficientSecurity: `commonly the server wants other cipher suites: ${SUITES}`,
  NoApplicationProtocol:
    "the server speaks neither HTTP/1.1 nor HTTP/2 on this port: check VAULT_ADDR",
  UnrecognisedName:
    "the server does not know this name: check the host in VAULT_ADDR, or VAULT_TLS_SERVER_NAME",
  InternalError: "the server failed by itself: its log may tell why",
};

/** The alerts by which servers judge the certificate of a client. */
const aboutClients: ReadonlySet<string> = new Set([
  "NoCertificate",
  "BadCertificate",
  "UnsupportedCertificate",
  "CertificateRevoked",
  "CertificateExpired",
  "CertificateUnknown",
  "UnknownCA",
  "AccessDenied",
]);

/** The hints for other details of a handshake, which are those of engine/network/src/fault.rs. */
const handshakeHints: Readonly<Record<string, string>> = {
  "the server chose a version before TLS 1.2": VERSIONS,
  "the server chose a cipher suite that was not offered": SUITES,
  "the answer is not TLS": "check the scheme and the port in VAULT_ADDR",
};

const MATERIAL =
  "check that VAULT_CLIENT_KEY belongs to VAULT_CLIENT_CERT, and check the contents of VAULT_CACERT";

/** The hints for details of the given material, which are those of engine/network/src/tls. */
const materialHints: Readonly<Record<string, string>> = {
  "the server's name": "check VAULT_TLS_SERVER_NAME and the host in VAULT_ADDR",
  "the authorities": "check the contents of VAULT_CACERT",
  "an authority's certificate": "check the contents of VAULT_CACERT",
};
