import { describe, expect, test } from "bun:test";
import type { FoundImage } from "./found-image.ts";
import { ImageLookup } from "./image-lookup.ts";
import type { SharedImages } from "./lookup-memory.ts";
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
import { smallIndex } from "./testdata/small-image.ts";

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
    expect(requests(server)).toEqual(["HEAD manifests", "GET manifests", "GET blobs"]);
  });
  test("ask for a tag again if it has to be fresh, by a request that does not count as a pull", async () => {
    await using server = serve(plain);
    const lookup = lookupOf(server);
    await ask(lookup, server);
    await ask(lookup, server, { fresh: true });
    expect(requests(server)).toEqual([
      ...["HEAD manifests", "GET manifests", "GET blobs"],
      "HEAD manifests",
    ]);
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
    expect(server.seen).toHaveLength(3);
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
    // Digest, manifest and configuration for the first, the digest for all others.
    expect(seen).toBe(4);
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

describe("a manifest that was read", () => {
  const index = smallIndex([[image, { os: "linux", architecture: "amd64" }]]);
  const rows = { "of an image": image.manifest, "of an index": index } as const;
  for (const [what, manifest] of Object.entries(rows)) {
    test(`${what} is not read again, by this replica or another`, async () => {
      const known = new Map<string, FoundImage>();
      const shared: SharedImages = {
        find: async (keys) => {
          const key = keys.find((each) => known.has(each));
          const found = key === undefined ? undefined : known.get(key);
          return key === undefined || found === undefined ? undefined : { key, image: found };
        },
        add: (key, found) => void known.set(key, found),
      };
      const tags = { latest: manifest, later: manifest };
      await using server = serve(repository(tags, image.manifest, image.config));
      const replicas = [shared, shared, undefined].map(
        (each) => new ImageLookup({ settings: settingsFor([server]), shared: each }),
      );
      const pulls: number[] = [];
      for (const lookup of replicas) {
        for (const tag of ["latest", "later"]) {
          const found = await lookup.lookUp(`${server.host}/app:${tag}`, { platform: linux });
          expect(found.command).toEqual(["serve"]);
        }
        pulls.push(requests(server).filter((request) => request === "GET manifests").length);
      }
      const first = manifest === index ? 2 : 1;
      expect(pulls).toEqual([first, first, 2 * first]);
    });
  }
  test("is not for clients that may not read it", async () => {
    await using server = serve(asking("Basic realm=x", basicOf("u", "p")), plain);
    const shared: SharedImages = {
      find: async ([key = ""]) => ({ key, image: { digest: image.manifest.digest, ...words } }),
      add: () => undefined,
    };
    const lookup = new ImageLookup({ settings: settingsFor([server]), shared });
    for (const version of [":latest", `@${image.manifest.digest}`]) {
      const asked = lookup.lookUp(`${server.host}/app${version}`, { platform: linux });
      expect((await failureOf(asked)).code).toBe("DENIED");
    }
  });
  test("is not for a registry that only claims its digest", async () => {
    const { digest, mediaType } = image.manifest;
    const index = smallIndex([[image, { os: "linux", architecture: "amd64" }]]);
    await using server = serve(plain);
    await using claiming = serve(
      ({ method, path }) => {
        const headers = { "Docker-Content-Digest": String(digest), "Content-Type": mediaType };
        return method === "HEAD" && path.includes("claimed")
          ? new Response(null, { headers })
          : undefined;
      },
      repository({ listed: index }),
    );
    const lookup = new ImageLookup({ settings: settingsFor([server, claiming]) });
    await lookup.lookUp(`${server.host}/app`, { platform: linux });
    for (const tag of ["claimed", "listed"]) {
      const asked = lookup.lookUp(`${claiming.host}/app:${tag}`, { platform: linux });
      expect((await failureOf(asked)).code).toBe("NOT_FOUND");
    }
  });
  test("is read by GET alone if the server refuses HEAD", async () => {
    await using server = serve(
      ({ method }) => (method === "HEAD" ? new Response(null, { status: 405 }) : undefined),
      plain,
    );
    const lookup = new ImageLookup({ settings: settingsFor([server]) });
    const found = await lookup.lookUp(`${server.host}/app`, { platform: linux });
    expect(found.command).toEqual(["serve"]);
  });
});

const words = { entrypoint: ["/bin/app"], command: ["serve"] };

function requests({ seen }: TestServer): readonly string[] {
  return seen.map(({ method, path }) => `${method} ${path.split("/")[3]}`);
}
