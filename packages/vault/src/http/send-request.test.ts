import { describe, expect, test } from "bun:test";
import { openedFields } from "../../test/closed.ts";
import {
  clientOf,
  failure,
  json,
  kv2,
  startRawServer,
  startServer,
} from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const token = new Secret("hvs.test");
const ref = { path: "secret/data/app" };
const head = "HTTP/1.1 200 OK\r\n";

describe("a connection", () => {
  test.each([
    ["closed before the answer", "", "UNREACHABLE"],
    [
      "closed in the middle of the body",
      `${head}Content-Length: 100\r\n\r\n{"data"`,
      "UNREACHABLE",
    ],
    ["closed in a chunk", `${head}Transfer-Encoding: chunked\r\n\r\n50\r\n{"d`, "UNREACHABLE"],
    ["cut without a length", `${head}Connection: close\r\n\r\n{"data":`, "BAD_RESPONSE"],
    ["with too many headers", `${head}${"X-A: a\r\n".repeat(5000)}\r\n`, "BAD_RESPONSE"],
    ["with endless headers", `${head}X-A: ${"a".repeat(16 << 20)}\r\n\r\n`, "TOO_LARGE"],
    ["that answers compressed", `${head}Content-Encoding: gzip\r\n\r\nabc`, "BAD_RESPONSE"],
  ])("%s is reported", async (_what, answer, code) => {
    using server = startRawServer(answer, true);
    const error = await failure(clientOf(server).readSecret(token, ref));
    expect<string>(error.code).toBe(code);
    expect(error.path).toBe(ref.path);
  });

  test("that is refused is UNREACHABLE", async () => {
    const server = startServer(() => kv2("{}"));
    server[Symbol.dispose]();
    const error = await failure(clientOf(server).readSecret(token, ref));
    expect(error.code).toBe("UNREACHABLE");
    expect(error.message).toMatch(
      /^read secret\/data\/app at http:\/\/127\.0\.0\.1:\d+: connection refused$/,
    );
  });

  test("to a name that does not resolve is DNS", async () => {
    const client = clientOf({ address: "http://name.invalid:8200" });
    const error = await failure(client.readSecret(token, ref));
    expect(error.code).toBe("DNS");
    expect(error.hint).toContain("VAULT_ADDR");
  });

  test.each([
    ["before the headers", ""],
    ["in the middle of the body", `${head}Content-Length: 100\r\n\r\n{"data"`],
  ])("that stays silent %s is TIMEOUT", async (_when, answer) => {
    using server = startRawServer(answer, false);
    const client = clientOf(server, { requestTimeoutMs: 50 });
    expect((await failure(client.readSecret(token, ref))).code).toBe("TIMEOUT");
  });

  test("that the caller gives up is CANCELLED", async () => {
    const controller = new AbortController();
    using server = startServer(() => {
      controller.abort();
      return new Promise<Response>(() => undefined);
    });
    const client = clientOf(server, { signal: controller.signal });
    expect((await failure(client.readSecret(token, ref))).code).toBe("CANCELLED");
  });
});

describe("the size limit", () => {
  const body = `{"data":{"data":{"k":"${"v".repeat(5000)}"},"metadata":{}}}`;
  const chunked = (text: string) =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(text));
        },
      }),
    );

  test.each([
    ["a declared length", () => new Response(body)],
    ["an endless stream", () => chunked("x".repeat(1000))],
    ["the body of an error", () => new Response(body, { status: 403 })],
  ])("holds for %s", async (_what, answer) => {
    using server = startServer(answer);
    const client = clientOf(server, { maxResponseBytes: 4096 });
    expect((await failure(client.readSecret(token, ref))).code).toBe("TOO_LARGE");
  });

  const inChunks = (text: string) =>
    new Response(
      new ReadableStream({
        start(controller) {
          // Cut in the middle of a character, as a network may.
          const bytes = new TextEncoder().encode(text);
          const middle = bytes.indexOf(0xc3) + 1;
          controller.enqueue(bytes.subarray(0, middle));
          controller.enqueue(bytes.subarray(middle));
          controller.close();
        },
      }),
    );

  test.each([
    ["with a declared length", (text: string) => new Response(text)],
    ["in chunks", inChunks],
  ])("lets an answer of exactly that size through %s", async (_how, respond) => {
    const text = await kv2('{"k":"größe"}').text();
    using server = startServer(() => respond(text));
    const client = clientOf(server, { maxResponseBytes: Buffer.byteLength(text) });
    expect(openedFields(await client.readSecret(token, ref))).toEqual({ k: "größe" });
  });

  test("has room for 10 MB in 5,000 keys by default", async () => {
    const keys = Array.from({ length: 5000 }, (_, index) => [`key${index}`, "v".repeat(2000)]);
    const text = JSON.stringify(Object.fromEntries(keys));
    using server = startServer(() => kv2(text));
    expect((await clientOf(server).readSecret(token, ref)).fields.size).toBe(5000);
  });
});

describe("a redirect", () => {
  const to = (location: string, status = 307) =>
    new Response(null, { status, headers: { Location: location } });

  test.each([301, 302, 307, 308])("%d leads to the active node, token and all", async (status) => {
    using active = startServer(() => kv2('{"k":"v"}'));
    using standby = startServer(({ target }) => to(active.address + target, status));
    await clientOf(standby, { namespace: "team" }).readSecret(token, ref);
    expect(active.seen[0]?.target).toBe("/v1/secret/data/app");
    expect(active.seen[0]?.headers.get("x-vault-token")).toBe("hvs.test");
    expect(active.seen[0]?.headers.get("x-vault-namespace")).toBe("team");
  });

  test("repeats method and body", async () => {
    using active = startServer(() => json({ auth: { lease_duration: 1, renewable: true } }));
    using standby = startServer(({ target }) => to(active.address + target));
    await clientOf(standby).renewSelf(token, 5000);
    expect(active.seen[0]?.method).toBe("POST");
    expect(active.seen[0]?.body).toBe('{"increment":5}');
  });

  test("may be relative", async () => {
    using server = startServer(({ target }) => (target === "/x" ? kv2("{}") : to("/x")));
    expect((await clientOf(server).readSecret(token, ref)).version).toBe(1);
  });

  test("is followed three times and no more", async () => {
    using server = startServer(() => to("/v1/secret/data/app"));
    expect((await failure(clientOf(server).readSecret(token, ref))).code).toBe("REDIRECT_LOOP");
    expect(server.seen.length).toBe(4);
  });

  test.each([
    ["another scheme", "file:///etc/passwd", "REDIRECT_REFUSED"],
    ["an address with credentials", "http://user:pass@127.0.0.1:1/", "REDIRECT_REFUSED"],
    ["no address", "http://", "BAD_RESPONSE"],
  ])("to %s is refused", async (_what, location, code) => {
    using server = startServer(() => to(location));
    const error = await failure(clientOf(server).readSecret(token, ref));
    expect<string>(error.code).toBe(code);
    expect(server.seen.length).toBe(1);
  });

  test("without Location or of another kind is refused", async () => {
    for (const status of [307, 303, 300]) {
      using server = startServer(() => new Response(null, { status }));
      const error = await failure(clientOf(server).readSecret(token, ref));
      expect(error.code).toBe("BAD_RESPONSE");
    }
  });
});

describe("the address", () => {
  test.each([
    "vault:8200",
    "ftp://vault",
    "unix:///run/vault.sock",
    "",
    "https://user:canary@vault",
    "https://vault?canary=1",
    "https://vault#canary",
  ])("%p is refused", async (address) => {
    const error = await failure(Promise.try(() => clientOf({ address })));
    expect(error.code).toBe("INVALID_INPUT");
    expect(error.message).not.toContain("canary");
  });
});
