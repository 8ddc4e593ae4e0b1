import { describe, expect, test } from "bun:test";
import { ImageLookup } from "./image-lookup.ts";
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
import { repository, serve, type TestServer } from "./testdata/serve-registry.ts";

describe("lookups of one process", () => {
  const lookupOf = (server: TestServer, more: object = {}) =>
    new ImageLookup({ settings: settingsFor([server]), ...more });
  const ask = (lookup: ImageLookup, server: TestServer, more: object = {}) =>
    lookup.lookUp(`${server.host}/app`, { platform: linux, ...more });
  test("of one image at a time are one lookup, and then none", async () => {
    await using server = serve(plain);
    const lookup = lookupOf(server);
    await Promise.all(Array.from({ length: 50 }, () => ask(lookup, server)));
    await ask(lookup, server);
    expect(server.seen).toHaveLength(2);
  });
  test("ask for a tag again if it has to be fresh, and not for its digest", async () => {
    await using server = serve(plain);
    const lookup = lookupOf(server);
    await ask(lookup, server);
    await ask(lookup, server, { fresh: true });
    expect(server.seen.filter(({ path }) => path.includes("/manifests/"))).toHaveLength(2);
    expect(server.seen.filter(({ path }) => path.includes("/blobs/"))).toHaveLength(1);
  });
  test("never ask for a digest twice", async () => {
    await using server = serve(plain);
    const lookup = lookupOf(server, { tagLifeMs: 0 });
    for (const fresh of [false, true, true]) {
      await lookup.lookUp(`${server.host}/app@${image.manifest.digest}`, {
        platform: linux,
        fresh,
      });
    }
    expect(server.seen).toHaveLength(2);
  });
  test("never return a result of another credential", async () => {
    await using server = serve(asking("Basic realm=x", basicOf("u", "p")), plain);
    const lookup = lookupOf(server);
    await ask(lookup, server, { credentials: [entryOf(server, { username: "u", password: "p" })] });
    for (const credentials of [[], [entryOf(server, { username: "u", password: "wrong" })]]) {
      expect((await failureOf(ask(lookup, server, { credentials }))).code).toBe("DENIED");
    }
  });
  test("remember for a moment that there is nothing", async () => {
    await using server = serve();
    const lookup = lookupOf(server);
    for (let round = 0; round < 3; round++)
      expect((await failureOf(ask(lookup, server))).code).toBe("NOT_FOUND");
    expect(server.seen).toHaveLength(1);
  });
  test("that have to be fresh are one after the other, however many ask, and begin after they were asked for", async () => {
    let seen = 0;
    await using server = serve((request) => {
      seen += 1;
      return plain(request);
    });
    const lookup = lookupOf(server, { flights: 2, waiting: 0 });
    const asked = Array.from({ length: 300 }, () => ask(lookup, server, { fresh: true }));
    const found = await Promise.all(asked);
    expect(found.map(({ command }) => command)).toEqual(asked.map(() => ["serve"]));
    // One of manifest and configuration for the first, one of the manifest for all others.
    expect(seen).toBe(3);
  });
  test("of one asker leave others their places, and wait for their own", async () => {
    const gate = Promise.withResolvers<void>();
    const slowTags = Array.from({ length: 40 }, (_, index) => `slow${index}`);
    const tags = [...slowTags, "quick"].map((tag) => [tag, image.manifest] as const);
    const tagged = repository(Object.fromEntries(tags), image.config);
    await using server = serve(async (request) => {
      if (request.path.includes("/slow")) await gate.promise;
      return tagged(request) ?? new Response(null, { status: 404 });
    });
    const lookup = lookupOf(server, { flights: 8, waiting: 100 });
    const of = (name: string, asker: string) =>
      lookup.lookUp(`${server.host}/app:${name}`, { platform: linux, asker });
    const all = Promise.allSettled(slowTags.map((tag) => of(tag, "greedy")));
    expect((await of("quick", "other")).command).toEqual(["serve"]);
    gate.resolve();
    const found = (await all).filter(({ status }) => status === "fulfilled");
    // Two of eight places, 25 of a hundred that wait.
    expect(found).toHaveLength(27);
  });
  test("may be given up by one without the others, and are only a number at a time", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = serve(async (request) => {
      await gate.promise;
      return plain(request) ?? new Response(null, { status: 404 });
    });
    const lookup = lookupOf(server, { flights: 1, waiting: 0 });
    const gone = new AbortController();
    const waiting = [
      ask(lookup, server),
      failureOf(ask(lookup, server, { signal: gone.signal })),
    ] as const;
    gone.abort();
    expect((await waiting[1]).code).toBe("CANCELLED");
    expect((await failureOf(lookup.lookUp(`${server.host}/other`, { platform: linux }))).code).toBe(
      "BUSY",
    );
    gate.resolve();
    expect((await waiting[0]).command).toEqual(["serve"]);
  });
});
