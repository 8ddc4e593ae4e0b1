import { describe, expect, test } from "bun:test";
import { openedFields } from "../../test/closed.ts";
import { clientOf, failure, json, kv2, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const token = new Secret("hvs.test");
const deleted = (destroyed: boolean) => ({
  data: {
    data: null,
    metadata: {
      created_time: "2026-11-21T01:56:35Z",
      deletion_time: "2026-11-21T01:56:36Z",
      destroyed,
      version: 2,
    },
  },
  warnings: null,
});

describe("readSecret", () => {
  test("gives fields, version and time of a KV v2 secret", async () => {
    using server = startServer(() => kv2('{"a":"x\\ny","n":1.0,"none":null,"o":{"k":[2.50]}}', 3));
    const secret = await clientOf(server).readSecret(token, { path: "secret/data/app" });
    expect(secret).toMatchObject({
      path: "secret/data/app",
      version: 3,
      createdTime: "2026-11-21T01:56:35.4Z",
    });
    expect(secret.lease).toBeUndefined();
    expect(openedFields(secret)).toEqual({
      a: "x\ny",
      n: "1.0",
      none: null,
      o: '{"k":[2.50]}',
    });
  });

  test("sends token, namespace, encoded path and version", async () => {
    using server = startServer(() => kv2("{}"));
    const client = clientOf(server, { namespace: "team/a" });
    await client.readSecret(token, { path: "/secret/data/a b", version: 7 });
    const [request] = server.seen;
    expect(request?.target).toBe("/v1/secret/data/a%20b?version=7");
    expect(request?.headers.get("x-vault-token")).toBe("hvs.test");
    expect(request?.headers.get("x-vault-namespace")).toBe("team/a");
    expect(request?.headers.get("x-vault-request")).toBe("true");
  });

  test("keeps a path prefix of the address", async () => {
    using server = startServer(() => kv2("{}"));
    const client = clientOf({ address: `${server.address}/vault/` });
    await client.readSecret(token, { path: "secret/data/app" });
    expect(server.seen[0]?.target).toBe("/vault/v1/secret/data/app");
  });

  test("gives the fields and the lease of a dynamic secret", async () => {
    using server = startServer(() =>
      json({
        lease_id: "database/creds/app/x",
        lease_duration: 3600,
        renewable: true,
        data: { username: "u", password: "p" },
      }),
    );
    const secret = await clientOf(server).readSecret(token, { path: "database/creds/app" });
    expect(secret).toMatchObject({
      path: "database/creds/app",
      lease: { id: "database/creds/app/x", durationMs: 3_600_000, renewable: true },
    });
    expect(secret.version).toBeUndefined();
    expect(openedFields(secret)).toEqual({ username: "u", password: "p" });
  });

  test("takes a field called data for a field if the engine is not KV v2", async () => {
    using server = startServer(() => json({ lease_id: "", data: { data: { a: 1 } } }));
    const secret = await clientOf(server).readSecret(token, { path: "kv1/app" });
    expect(openedFields(secret)).toEqual({ data: '{"a":1}' });
    expect(secret.lease).toBeUndefined();
  });

  const warning = "Invalid path for a versioned K/V secrets engine.";
  test.each([
    ["a missing path", () => json({ errors: [] }, 404), "NOT_FOUND", "<mount>/data/<path>"],
    ["a deleted version", () => json(deleted(false), 404), "DELETED", "undelete"],
    ["a deleted version behind a 200", () => json(deleted(false)), "DELETED", "undelete"],
    ["a destroyed version", () => json(deleted(true), 404), "DESTROYED", "new version"],
    [
      "a path without /data/",
      () => json({ data: null, warnings: [warning] }, 404),
      "NOT_FOUND",
      '"secret/data/app"',
    ],
    [
      "an unknown mount",
      () => json({ errors: ['no handler for route "secret/app"'] }, 404),
      "NOT_FOUND",
      "nothing is mounted",
    ],
    [
      "an unknown namespace",
      () => json({ errors: ["namespace not found"] }, 404),
      "NOT_FOUND",
      "VAULT_NAMESPACE",
    ],
    ["a refused token", () => json({ errors: ["permission denied"] }, 403), "DENIED", "policy"],
    ["a refused request", () => json({ errors: ["no"] }, 400), "BAD_REQUEST", "check"],
    ["a sealed vault", () => json({ errors: ["Vault is sealed"] }, 503), "SEALED", "unseal"],
    ["a proxy without a vault", () => new Response("<html>", { status: 503 }), "SERVER_ERROR", ""],
    ["no initialised vault", () => json({ errors: [] }, 501), "NOT_INITIALIZED", "init"],
    ["a DR secondary", () => json({ errors: [] }, 472), "STANDBY", "active"],
    ["a performance standby", () => json({ errors: [] }, 473), "STANDBY", "active"],
    [
      "a standby without active node",
      () => json({ errors: ["local node not active but active cluster node not found"] }, 500),
      "STANDBY",
      "active",
    ],
    ...[
      "Upgrading from non-versioned to versioned data.",
      "Waiting for the primary to upgrade from non-versioned to versioned data.",
    ].map(
      (text) =>
        [
          "an engine that is being mounted",
          () => json({ errors: [text] }, 400),
          "SERVER_ERROR",
          "mounted",
        ] as const,
    ),
    ["a limited rate", () => json({ errors: ["quota"] }, 429), "RATE_LIMITED", "quota"],
    ["a broken server", () => json({ errors: ["oops"] }, 500), "SERVER_ERROR", "log"],
    ["a web page", () => new Response("<html>hello"), "BAD_RESPONSE", "VAULT_ADDR"],
    ["no content", () => new Response(null, { status: 204 }), "BAD_RESPONSE", ""],
    ["JSON of another shape", () => json([1]), "BAD_RESPONSE", ""],
    ["no data", () => json({ data: null }), "BAD_RESPONSE", ""],
    ["data that is a text", () => json({ data: "x" }), "BAD_RESPONSE", ""],
    ["a field with half a surrogate pair", () => kv2('{"a":"\\ud800"}'), "BAD_RESPONSE", ""],
    ["text that is not UTF-8", () => new Response(new Uint8Array([0xff])), "BAD_RESPONSE", ""],
  ])("reports %s", async (_what, answer, code, hint) => {
    using server = startServer(answer);
    const error = await failure(clientOf(server).readSecret(token, { path: "secret/app" }));
    expect<string>(error.code).toBe(code);
    expect(error.hint).toContain(hint);
    expect(error.path).toBe("secret/app");
    expect(error.message).toStartWith("read secret/app: ");
  });

  test("names the path that the policy must grant, and the paths of an account of a scoped one", async () => {
    using server = startServer(() => json({ errors: ["permission denied"] }, 403));
    const error = await failure(clientOf(server).readSecret(token, { path: "kv/x/data/app" }));
    expect(error.hint).toContain('"kv/x/data/app"');
    expect(error.hint).toContain("settings.policyScope=service-account (BOOTSTRAP_POLICY_SCOPE)");
    expect(error.hint).toContain("kv/x/data/NAMESPACE/ACCOUNT");
  });

  test("of a pinned version tells the server's reason before its own guess", async () => {
    using server = startServer(() => json({ errors: ["namespace not found"] }, 404));
    const ref = { path: "secret/data/app", version: 3 };
    const error = await failure(clientOf(server).readSecret(token, ref));
    expect(error.hint).toContain("VAULT_NAMESPACE");
  });

  test("takes half a surrogate pair inside of an object as JSON writes it", async () => {
    using server = startServer(() => kv2('{"a":{"b":"\\ud800"}}'));
    const secret = await clientOf(server).readSecret(token, { path: "secret/data/app" });
    expect(openedFields(secret)).toEqual({ a: '{"b":"\\ud800"}' });
  });

  test.each([0, -1, 1.5, Number.NaN])("refuses version %p", async (version) => {
    using server = startServer(() => kv2("{}"));
    const read = clientOf(server).readSecret(token, { path: "secret/data/app", version });
    expect((await failure(read)).code).toBe("INVALID_INPUT");
    expect(server.seen).toBeEmpty();
  });

  test("repeats the server's words bounded and without control characters", async () => {
    using server = startServer(() => json({ errors: [`a\u001b[31m\nb${"x".repeat(5000)}`] }, 400));
    const error = await failure(clientOf(server).readSecret(token, { path: "secret/data/app" }));
    expect(error.message).toContain("a [31m b");
    expect(error.message.length).toBeLessThan(400);
  });
});

describe("readSecrets", () => {
  const refs = ["a", "missing", "b", "denied"].map((name) => ({ path: `secret/data/${name}` }));

  test("gives one outcome per ref, and every failure", async () => {
    using server = startServer(({ target }) => {
      if (target.endsWith("missing")) return json({ errors: [] }, 404);
      return target.endsWith("denied") ? json({ errors: [] }, 403) : kv2('{"k":"v"}');
    });
    const outcomes = await clientOf(server).readSecrets(token, refs);
    expect(outcomes.map(({ ref }) => ref)).toEqual(refs);
    expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.code))).toEqual([
      "ok",
      "NOT_FOUND",
      "ok",
      "DENIED",
    ]);
  });

  test("reports an unusable path beside the rest", async () => {
    using server = startServer(() => kv2("{}"));
    const outcomes = await clientOf(server).readSecrets(token, [{ path: "../x" }, { path: "a/b" }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true]);
  });

  test.each([
    [32, 20, 20],
    [4, 20, 4],
  ])("with concurrency %d keeps of %d reads %d in flight", async (concurrency, count, expected) => {
    let inFlight = 0;
    let most = 0;
    const full = Promise.withResolvers<void>();
    using server = startServer(async () => {
      most = Math.max(most, ++inFlight);
      if (inFlight === expected) full.resolve();
      await full.promise;
      inFlight--;
      return kv2("{}");
    });
    const many = Array.from({ length: count }, (_, index) => ({ path: `secret/data/${index}` }));
    await clientOf(server, { concurrency }).readSecrets(token, many);
    expect(most).toBe(expected);
  });
});
