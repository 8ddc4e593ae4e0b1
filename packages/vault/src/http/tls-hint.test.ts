import { describe, expect, test } from "bun:test";
import { tlsHint } from "./tls-hint.ts";
import { type HttpFault, TransportError } from "./transport.ts";

const GIVE = "set VAULT_CLIENT_CERT";
const CHECK = "check VAULT_CLIENT_CERT";

describe("the hint for a fault of TLS", () => {
  const rows: readonly (readonly [HttpFault, string | undefined, string | undefined])[] = [
    ["handshake", undefined, GIVE],
    ["handshake", "alert CertificateRequired", GIVE],
    ["handshake", "alert BadCertificate", GIVE],
    ["handshake", "alert HandshakeFailure", "not CBC"],
    ["handshake", "alert ProtocolVersion", "TLS 1.2 or 1.3"],
    ["handshake", "alert NoApplicationProtocol", "HTTP/2"],
    ["handshake", "alert UnrecognisedName", "VAULT_TLS_SERVER_NAME"],
    ["handshake", "alert DecodeError", undefined],
    ["handshake", "the server chose a version before TLS 1.2", "TLS 1.2 or 1.3"],
    ["handshake", "the answer is not TLS", "VAULT_ADDR"],
    ["handshake", "another detail", undefined],
    ["unusable material", "the server's name", "check VAULT_TLS_SERVER_NAME"],
    ["unusable material", "an authority's certificate", "VAULT_CACERT"],
    ["unusable material", "the client key", "VAULT_CLIENT_KEY"],
    ["unusable material", undefined, "VAULT_CLIENT_KEY"],
    ["refused", "another detail", undefined],
  ];
  for (const [fault, detail, part] of rows) {
    test(`${fault}, ${detail}: ${part}`, () => {
      const hint = tlsHint(new TransportError(fault, { detail }), { skipVerify: false });
      if (part === undefined) expect(hint).toBeUndefined();
      else expect(hint).toContain(part);
    });
  }

  test("says to check a client certificate only if there is one", () => {
    const error = new TransportError("handshake", { detail: "alert UnknownCA" });
    expect(tlsHint(error, { skipVerify: false })).toContain(GIVE);
    expect(tlsHint(error, { skipVerify: false, cert: "a" })).toContain(CHECK);
  });
});
