import { describe, expect, test } from "bun:test";
import { failingTransport, fakeTransport, response } from "../../test/fake-transport.ts";
import { clientOf, failure } from "../../test/test-client.ts";
import type { VaultErrorCode } from "../errors/error-catalogue.ts";
import { Secret } from "../values/secret.ts";
import { type FaultDetails, type HttpFault, type Transport, TransportError } from "./transport.ts";

const http = { address: "http://vault.test:8200" };
const https = { address: "https://vault.test:8200" };
const token = new Secret("hvs.test");
const ref = { path: "secret/data/app" };
const found = '{"data":{"data":{},"metadata":{"version":1,"created_time":"t"}}}';

describe("a fault of the transport", () => {
  const rows: readonly (readonly [HttpFault, FaultDetails, VaultErrorCode, string])[] = [
    ["refused", {}, "UNREACHABLE", "at https://vault.test:8200: connection refused"],
    ["unreachable", { detail: "EHOSTUNREACH" }, "UNREACHABLE", "failed (EHOSTUNREACH)"],
    ["closed", {}, "UNREACHABLE", "the connection was closed"],
    ["closed", { answered: true }, "UNREACHABLE", "in the middle of the answer: the connection"],
    ["name not found", {}, "DNS", "the host name does not resolve"],
    ["name not found", { detail: "10.0.0.1 answered REFUSED" }, "DNS", "(10.0.0.1 answered REF"],
    ["unknown authority", {}, "TLS", "unknown authority"],
    ["wrong name", { names: ["a.test", "b.test"] }, "TLS", "it has a.test, b.test"],
    ["wrong name", {}, "TLS", 'the server\'s certificate is not for "vault.test"'],
    ["expired", {}, "TLS", "has expired"],
    ["not yet valid", {}, "TLS", "not valid yet"],
    ["bad certificate", { detail: "it is too old" }, "TLS", "cannot be accepted (it is too old)"],
    ["handshake", {}, "TLS", "the TLS handshake failed"],
    ["unusable material", {}, "TLS", "cannot be used"],
    ["not HTTP", {}, "BAD_RESPONSE", "is not HTTP"],
    ["headers too large", {}, "TOO_LARGE", "the headers of the answer are too large"],
    ["body too large", { answered: true }, "TOO_LARGE", "the answer has more than 33554432 bytes"],
  ];
  for (const [fault, details, code, message] of rows) {
    test(`${fault} ${JSON.stringify(details)} is ${code}: ${message}`, async () => {
      const { transport } = failingTransport(new TransportError(fault, details));
      const error = await failure(clientOf(https, { transport }).readSecret(token, ref));
      expect(error.code).toBe(code);
      expect(error.message).toStartWith(`read ${ref.path}`);
      expect(error.message).toContain(message);
    });
  }

  test("of headers that are too large is not blamed on the secret", async () => {
    const { transport } = failingTransport(new TransportError("headers too large", {}));
    const error = await failure(clientOf(https, { transport }).readSecret(token, ref));
    expect(error.hint).toContain("check that VAULT_ADDR is the vault itself");
  });

  test("is DNS, not TIMEOUT, if a name server has taken all of the time", async () => {
    const transport: Transport = ({ signal }) =>
      new Promise((_resolve, reject) => {
        const detail = "DNS server 10.0.0.1 has not answered for vault.test";
        const error = new TransportError("name not found", { detail });
        signal.addEventListener("abort", () => reject(error));
      });
    const slow = { transport, requestTimeoutMs: 20 };
    const error = await failure(clientOf(https, slow).readSecret(token, ref));
    expect([error.code, error.message]).toEqual(["DNS", expect.stringContaining("10.0.0.1 has")]);
  });

  test("is followed by a question without a token if the scheme may be wrong", async () => {
    const { transport, sent } = fakeTransport(({ url }) => {
      if (url.startsWith("https:")) throw new TransportError("handshake");
      return response("{}");
    });
    const error = await failure(clientOf(https, { transport }).readSecret(token, ref));
    expect(error.message).toContain("the server speaks plain HTTP on this port");
    expect(sent.map(({ url }) => url)).toEqual([
      "https://vault.test:8200/v1/secret/data/app",
      "http://vault.test:8200/v1/sys/health",
    ]);
    expect(sent[1]?.headers).toEqual([]);
  });

  test("is that of the scheme if a longer answer than expected comes to the other one", async () => {
    const { transport } = fakeTransport(({ url }) => {
      throw url.startsWith("http:")
        ? new TransportError("closed")
        : new TransportError("body too large", { answered: true });
    });
    const error = await failure(clientOf(http, { transport }).readSecret(token, ref));
    expect(error.message).toContain("the server speaks TLS on this port");
  });
});

describe("a request for the transport", () => {
  test("has the token closed", async () => {
    const { transport, sent } = fakeTransport(() => response(found));
    await clientOf(http, { transport, namespace: "team" }).readSecret(token, ref);
    const [request] = sent;
    expect(JSON.stringify(request?.headers)).not.toContain("hvs.test");
    const headers = new Map(request?.headers);
    expect(headers.get("X-Vault-Token")).toBe(token.bytes);
    expect(headers.get("X-Vault-Namespace")).toBe("team");
    expect(request).toMatchObject({ method: "GET", maxBytes: 32 * 1024 * 1024 });
    expect(request?.ownConnection).toBeFalse();
  });

  test("has the JWT closed, as a part of the body", async () => {
    const auth = '{"auth":{"client_token":"hvs.given","lease_duration":1,"renewable":true}}';
    const { transport, sent } = fakeTransport(() => response(auth));
    const jwt = new Secret("a.b.c");
    await clientOf(http, { transport }).loginKubernetes({ mountPath: "k", role: 'r"', jwt });
    expect(sent[0]?.body).toEqual(["{", '"role":"r\\""', ",", '"jwt":"', jwt.bytes, '"', "}"]);
  });
});
