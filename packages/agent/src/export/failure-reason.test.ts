import { afterAll, describe, expect, test } from "bun:test";
import { createSecureServer } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { type CertificateRequest, certificateAuthority, freePort } from "@svc/testing";
import { failureReason } from "./failure-reason.ts";
import { grpcClient } from "./grpc-client.ts";
import { httpClient } from "./http-client.ts";

const ours = await certificateAuthority();
const others = await certificateAuthority("another CA");
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

async function platform(authority: typeof ours, wanted?: CertificateRequest): Promise<number> {
  const { certificatePem, keyPem } = await authority.issue(wanted);
  const server = createSecureServer({ cert: certificatePem, key: keyPem, allowHTTP1: true });
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    resolve(typeof address === "object" && address !== null ? address.port : 0);
  });
  closers.push(() => server.close());
  return await promise;
}

async function reasonAt(protocol: "grpc" | "http", port: number): Promise<string> {
  const settings = {
    endpoint: { protocol, secure: true, url: `https://127.0.0.1:${port}` },
    compression: "none",
    requestTimeoutMs: 20_000,
  } as const;
  const files = { headers: new Map([["x-key", "aSecret"]]), tls: { ca: ours.certificatePem } };
  const client = protocol === "grpc" ? grpcClient(settings, files) : httpClient(settings, files);
  const outcome = await client.send(new Uint8Array(0), new AbortController().signal);
  client.close();
  return outcome.kind === "taken" ? "taken" : outcome.reason;
}

describe("a request fails and says why:", () => {
  const rows = {
    "a certificate of an authority that is not trusted": [
      () => platform(others),
      /^the platform's certificate is refused: [A-Z_]+$/,
    ],
    "a certificate that has expired": [
      () => platform(ours, { expiresMs: Date.now() - 1000 }),
      /^the platform's certificate is refused: CERT_HAS_EXPIRED$/,
    ],
    "a certificate for another name": [
      () => platform(ours, { names: ["example.org"] }),
      /^the platform's certificate is refused: ERR_TLS_CERT_ALTNAME_INVALID$/,
    ],
    "a port that nothing listens at": [
      () => Promise.resolve(freePort()),
      /^the request failed: \w*(ECONNREFUSED|ConnectionRefused)$/,
    ],
  } as const;
  for (const [name, [serve, reason]] of Object.entries(rows)) {
    for (const protocol of ["grpc", "http"] as const) {
      test(`${name}, by ${protocol}`, async () => {
        expect(await reasonAt(protocol, await serve())).toMatch(reason);
      });
    }
  }
});

describe("failureReason", () => {
  const timeout = Object.assign(new Error("x"), { name: "TimeoutError" });
  const loop = new Error("header x-key: aSecret");
  loop.cause = loop;
  const rows = [
    [
      "an answer of the platform",
      new ConnectError("no", Code.Unavailable),
      "the platform answered Unavailable",
    ],
    ["a time-out", timeout, "the platform did not answer in time"],
    ["an error without a code", new TypeError("aSecret"), "the request failed: TypeError"],
    ["an error that causes itself", loop, "the request failed: Error"],
    [
      "a code that has a blank",
      Object.assign(new Error(), { code: "a Secret" }),
      "the request failed: Error",
    ],
    ["no error", "aSecret", "the request failed"],
  ] as const;
  for (const [name, error, reason] of rows) {
    test(`of ${name}`, () => expect(failureReason(error)).toBe(reason));
  }
});
