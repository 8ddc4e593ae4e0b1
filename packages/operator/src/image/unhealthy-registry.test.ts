import { describe, expect, test } from "bun:test";
import { certificateAuthority } from "@svc/testing";
import { lookUpImage } from "./look-up-image.ts";
import { lookupMemory } from "./lookup-memory.ts";
import { lookupLimits, registryDefaults } from "./registry-settings.ts";
import {
  asking,
  entryOf,
  failureOf,
  linux,
  lookUp,
  plain,
  sentOn,
} from "./testdata/lookup-stage.ts";
import { type Answering, serve } from "./testdata/serve-registry.ts";
import { stored } from "./testdata/small-image.ts";

describe("a registry that", () => {
  const hugeBlob = () =>
    new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }),
    );
  const schema1 = stored("application/vnd.docker.distribution.manifest.v1+prettyjws", {
    schemaVersion: 1,
  });
  const rows: Readonly<
    Record<string, readonly [answering: Answering, code: string, message: RegExp]>
  > = {
    hangs: [
      () => new Promise<Response>(() => undefined),
      "TIMEOUT",
      /no complete answer within 300 ms$/,
    ],
    "stops in the middle": [
      () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array(9)) })),
      "TIMEOUT",
      /300 ms$/,
    ],
    "sends without end": [hugeBlob, "TOO_LARGE", /at most 4194304 bytes/],
    "has something else under a digest": [
      ({ path }) => (path.includes("/blobs/") ? new Response("{}") : undefined),
      "BAD_ANSWER",
      /its digest is sha256:44136fa355/,
    ],
    "has no JSON": [() => new Response("<html>canary"), "BAD_ANSWER", /is not JSON$/],
    "has schema 1": [
      () => new Response(schema1.bytes.slice(), { headers: { "Content-Type": schema1.mediaType } }),
      "UNSUPPORTED",
      /schema 1/,
    ],
    "has nothing": [() => new Response("canary", { status: 404 }), "NOT_FOUND", /status 404$/],
    fails: [() => new Response("canary", { status: 503 }), "SERVER_ERROR", /status 503$/],
    "has had enough": [
      () => new Response(null, { status: 429, headers: { "Retry-After": "7" } }),
      "RATE_LIMITED",
      /status 429 \(toomanyrequests\): the limit of requests is reached, it may be asked again in 7 s$/,
    ],
    "asks for an unknown scheme": [
      asking("Negotiate", "never"),
      "UNSUPPORTED",
      /neither basic nor bearer/,
    ],
    "sends on without end": [
      sentOn(/./, () => "/v2/app/manifests/again"),
      "REDIRECT_REFUSED",
      /more than 3 times$/,
    ],
    "sends on to this machine": [
      sentOn(/./, () => "http://localhost:1/"),
      "REDIRECT_REFUSED",
      /localhost:1 is a private address$/,
    ],
    "sends on to metadata": [
      sentOn(/./, () => "http://169.254.169.254/latest"),
      "REDIRECT_REFUSED",
      /private address$/,
    ],
    "sends on to an odd spelling of it": [
      sentOn(/./, () => "http://0xa9fea9fe/"),
      "REDIRECT_REFUSED",
      /private address$/,
    ],
    "sends on to a file": [
      sentOn(/./, () => "file:///etc/passwd"),
      "REDIRECT_REFUSED",
      /neither http nor https$/,
    ],
    "sends on to nowhere": [
      () => new Response(null, { status: 307 }),
      "BAD_ANSWER",
      /without an address$/,
    ],
  };
  for (const [what, [answering, code, message]] of Object.entries(rows)) {
    test(`${what} is ${code}`, async () => {
      await using server = serve(answering, plain);
      const limits = { ...lookupLimits, requestMs: 300 };
      const error = await failureOf(lookUp(server, { limits }));
      expect(error.code).toMatch(new RegExp(`^(?:${code})$`));
      expect(error.message).toMatch(message);
      expect(`${error.message}${error.hint}`).not.toContain("canary");
    });
  }
  test("announces 2 GB is not listened to", async () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n";
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.write(head) },
    });
    const server = { host: `127.0.0.1:${listener.port}` };
    const error = await failureOf(lookUp(server, {}));
    listener.stop(true);
    expect(error.code).toBe("TOO_LARGE");
    expect(error.message).toEndWith("at most 4194304 bytes are read, there are 2147483648 bytes");
  });
  test("hangs again and again is waited for only so long in all", async () => {
    await using server = serve(() => new Promise<Response>(() => undefined));
    const error = await failureOf(lookUp(server, { limits: { ...lookupLimits, totalMs: 200 } }));
    expect([error.code, error.message.endsWith("not within 200 ms")]).toEqual(["TIMEOUT", true]);
  });
  test("hangs does not delay a caller that gave up", async () => {
    await using server = serve(() => new Promise<Response>(() => undefined));
    const gone = new AbortController();
    const work = failureOf(lookUp(server, { signal: gone.signal }));
    gone.abort();
    expect((await work).code).toBe("CANCELLED");
  });
  test("has had enough of one user is left alone by that one for the time that it asks", async () => {
    await using server = serve(
      () => new Response(null, { status: 429, headers: { "Retry-After": "7" } }),
    );
    const memory = lookupMemory();
    await failureOf(lookUp(server, { memory }));
    const error = await failureOf(lookUp(server, { memory }));
    expect([error.code, server.seen.length]).toEqual(["RATE_LIMITED", 1]);
    expect(error.message).toEndWith(
      "left alone for 7 s since it answered with status 429 (toomanyrequests)",
    );
    expect(error.hint).toContain("--registry-mirrors");
    const credentials = [entryOf(server, { username: "u", password: "p" })];
    expect((await failureOf(lookUp(server, { memory, credentials }))).code).toBe("RATE_LIMITED");
  });
  test("keeps failing is left alone", async () => {
    await using server = serve(() => new Response(null, { status: 500 }));
    const memory = lookupMemory();
    const codes: string[] = [];
    for (let round = 0; round < 7; round++)
      codes.push((await failureOf(lookUp(server, { memory }))).code);
    expect(codes).toEqual([...Array(5).fill("SERVER_ERROR"), "CIRCUIT_OPEN", "CIRCUIT_OPEN"]);
    expect(server.seen).toHaveLength(5);
  });
  for (const host of [
    "localhost:1",
    "127.0.0.1:1",
    "[::1]:1",
    "169.254.169.254",
    "[fe80::1]",
    "0x7f.1",
  ]) {
    test(`would be at ${host} is not asked`, async () => {
      const settings = registryDefaults;
      const error = await failureOf(lookUpImage(`${host}/app`, { platform: linux, settings }));
      expect(error.code).toBe("UNREACHABLE");
      expect(error.message).toContain("an address of the node's own");
    });
  }
  test("is not there is unreachable", async () => {
    const gone = serve();
    await gone[Symbol.asyncDispose]();
    expect((await failureOf(lookUp(gone, {}))).code).toBe("UNREACHABLE");
  });
  test("speaks no TLS is not spoken to otherwise, unless that is set", async () => {
    await using server = serve(plain);
    const error = await failureOf(
      lookUp(server, { settings: { insecureRegistries: {}, trustedHosts: [server.host] } }),
    );
    expect(["TLS", "UNREACHABLE"]).toContain(error.code);
    expect(server.seen).toBeEmpty();
  });
  test("has a certificate by a private authority: the hint names the chart's values", async () => {
    const authority = await certificateAuthority("registry test CA");
    const { certificatePem, keyPem } = await authority.issue({ names: ["localhost"] });
    await using server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0, tls: { cert: certificatePem, key: keyPem } },
      fetch: () => new Response(null, { status: 404 }),
    });
    const host = `127.0.0.1:${server.port}`;
    const settings = { ...registryDefaults, trustedHosts: [host] };
    const error = await failureOf(lookUpImage(`${host}/app`, { platform: linux, settings }));
    expect([error.code, error.message]).toEqual([
      "TLS",
      expect.stringContaining("signed by an unknown authority"),
    ]);
    expect(error.hint).toContain("operator.settings.registryCaFiles");
  });
});
