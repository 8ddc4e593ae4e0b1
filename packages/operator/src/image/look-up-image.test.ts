import { describe, expect, test } from "bun:test";
import { type LookupOptions, lookUpImage } from "./look-up-image.ts";
import { lookupMemory } from "./lookup-memory.ts";
import { lookupLimits, type RegistrySettings, registryDefaults } from "./registry-settings.ts";
import {
  asking,
  basicOf,
  entryOf,
  failureOf,
  image,
  linux,
  plain,
  settingsFor,
} from "./testdata/lookup-stage.ts";
import { type Answering, repository, serve, type TestServer } from "./testdata/serve-registry.ts";
import { smallImage, smallIndex, stored } from "./testdata/small-image.ts";

describe("an image of a public registry", () => {
  test("is found by tag and by digest", async () => {
    await using server = serve(plain);
    for (const version of [
      "",
      ":latest",
      `@${image.manifest.digest}`,
      `:gone@${image.manifest.digest}`,
    ]) {
      const found = await lookUp(server, { name: `app${version}` });
      expect(found).toEqual({
        entrypoint: ["/bin/app"],
        command: ["serve"],
        architecture: "amd64",
        os: "linux",
        user: "65532",
        workingDir: "/srv",
        digest: image.manifest.digest,
      });
    }
    expect(server.seen.every(({ authorization }) => authorization === null)).toBe(true);
  });
  test("whose configuration lies elsewhere is read there, without the credential", async () => {
    await using storage = serve(({ path }) =>
      path === "/blob?sig=x" ? new Response(image.config.bytes.slice()) : undefined,
    );
    await using server = serve(
      asking("Basic realm=x", basicOf("u", "p")),
      sentOn(/blobs/, () => `http://${storage.host}/blob?sig=x`),
      plain,
    );
    const settings = { trustedHosts: [storage.host] };
    const found = await lookUp(server, {
      credentials: [entryOf(server, { username: "u", password: "p" })],
      settings,
    });
    expect(found.command).toEqual(["serve"]);
    expect(server.seen.at(-1)?.authorization).toBe(basicOf("u", "p"));
    expect(storage.seen.map(({ authorization }) => authorization)).toEqual([null]);
  });
});

describe("an image's platforms", () => {
  const amd64 = smallImage();
  const arm64 = smallImage({ architecture: "arm64" });
  const other = smallImage({ architecture: "arm64", entrypoint: ["/bin/other"] });
  const on = (architecture: string) => ({ os: "linux", architecture });
  const indexOf = (docker: boolean, ...images: Parameters<typeof smallIndex>[0]) => {
    const index = smallIndex([...images, [smallImage({ command: ["x"] }), on("unknown")]], docker);
    return repository(
      { latest: index },
      ...images.flatMap(([{ config, manifest }]) => [config, manifest]),
    );
  };
  for (const docker of [false, true]) {
    test(`are told from ${docker ? "Docker's list" : "OCI's index"}: all that the pod may have agree`, async () => {
      await using server = serve(indexOf(docker, [amd64, on("amd64")], [arm64, on("arm64")]));
      const both = await lookUp(server, {});
      expect([both.entrypoint, both.architecture]).toEqual([["/bin/app"], undefined]);
      const one = await lookUp(server, { platform: { os: "linux", architectures: ["arm64"] } });
      expect([one.architecture, one.digest]).toEqual(["arm64", arm64.manifest.digest]);
    });
  }
  test("that start different programs are refused, unless the pod says which", async () => {
    await using server = serve(indexOf(false, [amd64, on("amd64")], [other, on("arm64")]));
    const error = await failureOf(lookUp(server, {}));
    expect([error.code, error.hint]).toEqual([
      "AMBIGUOUS",
      "set the container's command, or a nodeSelector for kubernetes.io/arch",
    ]);
    expect(error.message).toEndWith("linux/amd64 and linux/arm64 start different programs");
    const one = await lookUp(server, { platform: { os: "linux", architectures: ["arm64"] } });
    expect(one.entrypoint).toEqual(["/bin/other"]);
  });
  test("that are not the pod's are named", async () => {
    await using server = serve(indexOf(false, [amd64, on("amd64")]));
    const error = await failureOf(
      lookUp(server, { platform: { os: "linux", architectures: ["arm64"] } }),
    );
    expect(error.code).toBe("NO_PLATFORM");
    expect(error.message).toEndWith("it has linux/amd64, the pod needs linux/arm64");
  });
  test("are read from the configurations where the index says nothing", async () => {
    await using server = serve(indexOf(false, [amd64, undefined], [other, undefined]));
    const found = await lookUp(server, { platform: { os: "linux", architectures: ["arm64"] } });
    expect(found.entrypoint).toEqual(["/bin/other"]);
  });
});

describe("credentials", () => {
  test("are tried one after the other, until one is let in", async () => {
    await using server = serve(asking("Basic realm=x", basicOf("second", "p")), plain);
    const credentials = ["first", "second", "third"].map((username) =>
      entryOf(server, { username, password: "p" }),
    );
    expect((await lookUp(server, { credentials })).command).toEqual(["serve"]);
    const sent = server.seen.map(({ authorization }) => authorization);
    expect(new Set(sent)).toEqual(new Set([null, basicOf("first", "p"), basicOf("second", "p")]));
  });
  test("that are all refused are counted, not shown", async () => {
    await using server = serve(asking("Basic realm=x", "nobody's"));
    const credentials = ["a", "b"].map((username) =>
      entryOf(server, { username, password: "canary" }),
    );
    const error = await failureOf(lookUp(server, { credentials }));
    expect(error.code).toBe("DENIED");
    expect(error.message).toEndWith("all 2 credentials that match were refused");
    expect(Bun.inspect(error)).not.toMatch(/canary|Y2FuYXJ5/);
  });
  test("that are missing are asked for", async () => {
    await using server = serve(asking("Basic realm=x", "nobody's"));
    const error = await failureOf(lookUp(server, {}));
    expect(error.message).toEndWith("it asks for credentials, and no pull secret matches");
  });
  test("of a registry's own token are sent as they are", async () => {
    await using server = serve(asking('Bearer realm="http://x.test/"', "Bearer rt"), plain);
    await lookUp(server, { credentials: [entryOf(server, { registryToken: "rt" })] });
    expect(server.seen.some(({ authorization }) => authorization === "Bearer rt")).toBe(true);
  });
});

describe("a token server", () => {
  test("gives a token that is used until it ends, and a new one when it was ended before", async () => {
    const issued = { count: 0, good: "" };
    await using server = tokenRegistry(
      () => {
        issued.count += 1;
        issued.good = `t${issued.count}`;
        return { token: issued.good, expires_in: 300 };
      },
      () => `Bearer ${issued.good}`,
    );
    const memory = lookupMemory();
    const credentials = [entryOf(server, { username: "u", password: "p" })];
    await lookUp(server, { credentials, memory });
    await lookUp(server, { credentials, memory });
    expect(issued.count).toBe(1);
    issued.good = "revoked";
    await lookUp(server, { credentials, memory });
    expect(issued.count).toBe(2);
    const asked = server.seen.find(({ path }) => path.startsWith("/token"));
    expect(asked?.authorization).toBe(basicOf("u", "p"));
    expect(new URLSearchParams(asked?.path.split("?")[1]).get("scope")).toBe("repository:app:pull");
  });
  test("is given an identity token as a grant", async () => {
    await using server = tokenRegistry(
      () => ({ access_token: "at" }),
      () => "Bearer at",
    );
    await lookUp(server, {
      credentials: [entryOf(server, { username: "u", identityToken: "it" })],
    });
    const asked = server.seen.find(({ path }) => path.startsWith("/token"));
    expect([asked?.method, new URLSearchParams(asked?.body).get("refresh_token")]).toEqual([
      "POST",
      "it",
    ]);
  });
  test("at a private address that is not the registry's is not asked, unless it is trusted", async () => {
    await using tokens = serve(() => Response.json({ token: "t" }));
    await using server = serve(
      asking(`Bearer realm="http://${tokens.host}/token"`, "Bearer t"),
      plain,
    );
    const credentials = [entryOf(server, { username: "u", password: "p" })];
    expect((await failureOf(lookUp(server, { credentials }))).code).toBe("REDIRECT_REFUSED");
    expect(tokens.seen).toBeEmpty();
    await lookUp(server, { credentials, settings: { trustedHosts: [tokens.host] } });
    expect(tokens.seen).toHaveLength(1);
  });
  for (const token of ["", "a b", "a\r\nX: y", 7, "x".repeat(40_000)]) {
    test(`that answers with the token ${JSON.stringify(token).slice(0, 20)} is refused`, async () => {
      await using server = tokenRegistry(
        () => ({ token }),
        () => "Bearer never",
      );
      expect((await failureOf(lookUp(server, {}))).code).toBe("BAD_ANSWER");
    });
  }
});

describe("mirrors", () => {
  test("are asked first, as themselves, with credentials of their own", async () => {
    await using mirror = serve(plain);
    await using server = serve(plain);
    const settings = settingsFor([server, mirror], { mirrors: { [server.host]: [mirror.host] } });
    await lookUp(server, { settings, credentials: [entryOf(server, { registryToken: "secret" })] });
    expect(server.seen).toBeEmpty();
    expect(mirror.seen.map(({ path }) => path)).toContain(
      `/v2/app/manifests/latest?ns=${encodeURIComponent(server.host)}`,
    );
    expect(mirror.seen.every(({ authorization }) => authorization === null)).toBe(true);
  });
  test("never see the registry's credential, although they ask for one", async () => {
    await using mirror = serve(asking("Basic realm=x", basicOf("mirror", "p")), plain);
    await using server = serve(asking("Basic realm=x", basicOf("u", "p")), plain);
    const settings = settingsFor([server, mirror], { mirrors: { [server.host]: [mirror.host] } });
    const own = entryOf(server, { username: "u", password: "p" });
    await lookUp(server, { settings, credentials: [own] });
    expect(mirror.seen.map(({ authorization }) => authorization)).toEqual([null]);
    const seenBefore = server.seen.length;
    await lookUp(server, {
      settings,
      credentials: [own, entryOf(mirror, { username: "mirror", password: "p" })],
    });
    expect(server.seen).toHaveLength(seenBefore);
  });
  const broken: Readonly<Record<string, Answering>> = {
    "has nothing": () => undefined,
    fails: () => new Response(null, { status: 500 }),
    hangs: () => new Promise<Response>(() => undefined),
    lies: ({ path }) =>
      path.includes("/blobs/")
        ? new Response("{}")
        : plain({ path, method: "GET", authorization: null, body: "" }),
  };
  for (const [what, answering] of Object.entries(broken)) {
    test(`are passed over where one ${what}`, async () => {
      await using mirror = serve(answering);
      await using server = serve(plain);
      const settings = settingsFor([server, mirror], { mirrors: { [server.host]: [mirror.host] } });
      const limits = { ...lookupLimits, totalMs: 2000, requestMs: 200 };
      expect((await lookUp(server, { settings, limits })).command).toEqual(["serve"]);
    });
  }
});

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
      /status 429$/,
    ],
    "asks for a scheme that nobody knows": [
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
      /not to where$/,
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
  test("hangs is not waited for by who gave up", async () => {
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
    expect([error.code, server.seen.length]).toEqual(["CIRCUIT_OPEN", 1]);
    expect(error.message).toContain("left alone for 7 s");
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
});

type Wish = Partial<Omit<LookupOptions, "settings">> & {
  readonly name?: string;
  readonly settings?: Partial<RegistrySettings>;
};

function lookUp(server: Pick<TestServer, "host">, { name = "app", settings, ...options }: Wish) {
  return lookUpImage(`${server.host}/${name}`, {
    platform: linux,
    ...options,
    settings: settingsFor([server], settings),
  });
}

function sentOn(what: RegExp, target: () => string): Answering {
  return ({ path }) =>
    what.test(path)
      ? new Response(null, { status: 307, headers: { Location: target() } })
      : undefined;
}

/** A registry with a token server at its own address. */
function tokenRegistry(issue: () => object, wanted: () => string): TestServer {
  const place: { host: string } = { host: "" };
  const server = serve(
    ({ path }) => (path.startsWith("/token") ? Response.json(issue()) : undefined),
    (request) =>
      asking(
        `Bearer realm="http://${place.host}/token",service="s",scope="repository:app:pull,push"`,
        wanted(),
      )(request),
    plain,
  );
  place.host = server.host;
  return server;
}
