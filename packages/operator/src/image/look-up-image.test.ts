import { describe, expect, test } from "bun:test";
import { dockerHub } from "./default-registry.ts";
import { parseImageReference } from "./image-reference.ts";
import { lookUpImage } from "./look-up-image.ts";
import { lookupMemory } from "./lookup-memory.ts";
import { registryEndpoints } from "./registry-endpoint.ts";
import { lookupLimits, registryDefaults } from "./registry-settings.ts";
import {
  asking,
  basicOf,
  entryOf,
  failureOf,
  image,
  linux,
  lookUp,
  plain,
  sentOn,
  settingsFor,
} from "./testdata/lookup-stage.ts";
import { type Answering, repository, serve, type TestServer } from "./testdata/serve-registry.ts";
import { smallImage, smallIndex } from "./testdata/small-image.ts";

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
    test(`come from ${docker ? "Docker's list" : "OCI's index"}: all that the pod may have agree`, async () => {
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
  test("are read from the configurations if the index says nothing", async () => {
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

describe("a registry that offers several ways to log in", () => {
  const bearer = (host: string) => `Bearer realm=http://${host}/token,service=s`;
  // src/server/middleware/v2auth/auth.go of Harbor: a request with a header is asked for Basic.
  const harbor = (good: () => string) => {
    const place = { host: "" };
    const server = serve(
      ({ path, authorization }) => {
        if (!path.startsWith("/token")) return undefined;
        const mayLogIn = authorization === null || authorization === basicOf("u", "p");
        return mayLogIn
          ? Response.json({ token: good() || "spoilt", expires_in: 300 })
          : new Response(null, { status: 401 });
      },
      ({ path, authorization }) => {
        if (path.startsWith("/token") || authorization === `Bearer ${good()}`) return undefined;
        if (authorization === basicOf("u", "p")) return undefined;
        const challenge = authorization === null ? bearer(place.host) : 'Basic realm="harbor"';
        return new Response(null, { status: 401, headers: { "WWW-Authenticate": challenge } });
      },
      plain,
    );
    place.host = server.host;
    return server;
  };
  test("gives a new token after one that it does not know any more", async () => {
    const state = { good: "t1" };
    await using server = harbor(() => state.good);
    const memory = lookupMemory();
    await lookUp(server, { memory });
    state.good = "t2";
    expect((await lookUp(server, { memory })).command).toEqual(["serve"]);
  });
  test("is given the password if the token does not suffice", async () => {
    await using server = harbor(() => "");
    const credentials = [entryOf(server, { username: "u", password: "p" })];
    expect((await lookUp(server, { credentials })).command).toEqual(["serve"]);
    expect((await failureOf(lookUp(server, {}))).code).toBe("DENIED");
  });
  test("names them in several headers", async () => {
    const place = { host: "" };
    await using server = serve(
      ({ path }) => (path.startsWith("/token") ? Response.json({ token: "t" }) : undefined),
      ({ authorization }) => {
        if (authorization === "Bearer t") return undefined;
        const headers = new Headers({ "WWW-Authenticate": "Negotiate" });
        headers.append("WWW-Authenticate", 'Basic realm="x"');
        headers.append("WWW-Authenticate", bearer(place.host));
        return new Response(null, { status: 401, headers });
      },
      plain,
    );
    place.host = server.host;
    expect((await lookUp(server, {})).command).toEqual(["serve"]);
  });
});

describe("Docker Hub", () => {
  const hub = "docker.io";
  test("is asked at its server, by all of its names", () => {
    for (const name of ["nginx", "docker.io/nginx", "index.docker.io/library/nginx"]) {
      const found = registryEndpoints(parseImageReference(name), registryDefaults);
      expect(found.map(({ origin, repository }) => [origin, repository])).toEqual([
        ["https://registry-1.docker.io", "library/nginx"],
      ]);
    }
  });
  test("is asked by its name, too, if another registry is the default", () => {
    const defaultRegistry = { name: "a.test", aliases: [], server: "a.test" };
    const settings = { ...registryDefaults, defaultRegistry };
    const [found] = registryEndpoints(parseImageReference("docker.io/nginx"), settings);
    expect([found?.host, found?.repository]).toEqual(["registry-1.docker.io", "library/nginx"]);
  });
  test("is left alone if that is set, and its mirrors are asked", async () => {
    await using mirror = serve(plain);
    const defaultRegistry = { ...dockerHub, server: undefined };
    const options = { platform: linux, limits: lookupLimits };
    const settings = settingsFor([mirror], { defaultRegistry });
    for (const name of ["team/app", "docker.io/team/app"]) {
      const error = await failureOf(lookUpImage(name, { ...options, settings }));
      expect([error.code, error.message]).toEqual([
        "NOT_ASKED",
        "read image docker.io/team/app:latest: docker.io has no mirror in the settings",
      ]);
    }
    const mirrors = { [hub]: [mirror.host] };
    await failureOf(lookUpImage("team/app", { ...options, settings: { ...settings, mirrors } }));
    expect(mirror.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "HEAD /v2/team/app/manifests/latest?ns=docker.io",
    ]);
  });
});

describe("mirrors", () => {
  test("are asked first, as themselves, with their own credentials", async () => {
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
    test(`are passed over if one ${what}`, async () => {
      await using mirror = serve(answering);
      await using server = serve(plain);
      const settings = settingsFor([server, mirror], { mirrors: { [server.host]: [mirror.host] } });
      const limits = { ...lookupLimits, totalMs: 2000, requestMs: 200 };
      expect((await lookUp(server, { settings, limits })).command).toEqual(["serve"]);
    });
  }
});

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
