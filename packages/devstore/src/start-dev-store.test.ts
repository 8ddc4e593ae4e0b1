import { describe, expect, test } from "bun:test";
import type { DevStoreOptions } from "./model/dev-store-options.ts";
import { DevStoreError } from "./model/errors.ts";
import { type DevStore, startDevStore } from "./start-dev-store.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** A store whose clock stands still until `pass` moves it. */
function storeWithClock(options: Partial<DevStoreOptions>): {
  store: DevStore;
  pass: (ms: number) => void;
} {
  let nowMs = START_MS;
  const store = startDevStore({ secrets: {}, ...options, now: () => nowMs });
  return { store, pass: (ms) => (nowMs += ms) };
}

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(
  store: DevStore,
  method: string,
  path: string,
  body?: object,
  token = store.token,
): Promise<Reply> {
  const response = await fetch(`${store.address}/v1/${path}`, {
    method,
    headers: { "X-Vault-Token": token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

describe("the clock", () => {
  test("ends a token at its ttl, to the millisecond", async () => {
    const { store, pass } = storeWithClock({});
    await using _ = store;
    const made = await ask(store, "POST", "auth/token/create", {
      ttl: "1m",
      policies: ["default"],
    });
    const token = Reflect.get(Object(made.body["auth"]), "client_token");
    const self = () => ask(store, "GET", "auth/token/lookup-self", undefined, String(token));
    pass(59_999);
    expect((await self()).body["data"]).toMatchObject({ ttl: 1, creation_ttl: 60 });
    pass(1);
    expect((await self()).status).toBe(403);
  });

  test("never renews a token past its maximum", async () => {
    const { store, pass } = storeWithClock({});
    await using _ = store;
    const wanted = { ttl: "60s", explicit_max_ttl: "90s", policies: ["default"] };
    const made = await ask(store, "POST", "auth/token/create", wanted);
    const token = String(Reflect.get(Object(made.body["auth"]), "client_token"));
    pass(50_000);
    const renewed = await ask(store, "POST", "auth/token/renew-self", {}, token);
    expect(renewed.body).toMatchObject({ auth: { lease_duration: 40 } });
    pass(40_000);
    expect((await ask(store, "POST", "auth/token/renew-self", {}, token)).status).toBe(403);
  });

  test("deletes a version at its delete_version_after", async () => {
    const { store, pass } = storeWithClock({});
    await using _ = store;
    await ask(store, "POST", "secret/metadata/a", { delete_version_after: "10s" });
    await ask(store, "POST", "secret/data/a", { data: { k: 1 } });
    pass(9999);
    expect((await ask(store, "GET", "secret/data/a")).status).toBe(200);
    pass(1);
    const gone = await ask(store, "GET", "secret/data/a");
    expect(gone).toMatchObject({ status: 404, body: { data: { data: null } } });
  });
});

describe("leases", () => {
  const leased = {
    db: { data: (issue: number) => ({ user: `u${issue}` }), ttlMs: 60_000, maxTtlMs: 90_000 },
  };

  test("each read gives a new value with a lease that can be renewed up to its maximum", async () => {
    const { store, pass } = storeWithClock({ leased });
    await using _ = store;
    const first = await ask(store, "GET", "dev-lease/db");
    expect(first.body).toMatchObject({ data: { user: "u1" }, renewable: true, lease_duration: 60 });
    expect((await ask(store, "GET", "dev-lease/db")).body["data"]).toEqual({ user: "u2" });
    const body = { lease_id: first.body["lease_id"] };
    pass(50_000);
    const renewed = await ask(store, "POST", "sys/leases/renew", body);
    expect(renewed.body).toMatchObject({
      ...body,
      renewable: true,
      lease_duration: 40,
      data: null,
    });
    const looked = await ask(store, "POST", "sys/leases/lookup", body);
    expect(looked.body["data"]).toMatchObject({
      ttl: 40,
      last_renewal: "2026-01-01T00:00:50.000Z",
    });
    pass(40_000);
    const late = await ask(store, "POST", "sys/leases/renew", body);
    expect(late).toEqual({ status: 400, body: { errors: ["lease not found"] } });
  });

  test("a lease ends with the token it was issued to", async () => {
    const { store } = storeWithClock({
      leased,
      policies: { db: [{ path: "dev-lease/*", capabilities: ["read"] }] },
    });
    await using _ = store;
    const made = await ask(store, "POST", "auth/token/create", { policies: ["db"], ttl: "1h" });
    const token = String(Reflect.get(Object(made.body["auth"]), "client_token"));
    const lease = await ask(store, "GET", "dev-lease/db", undefined, token);
    await ask(store, "POST", "auth/token/revoke-self", undefined, token);
    const looked = await ask(store, "POST", "sys/leases/lookup", {
      lease_id: lease.body["lease_id"],
    });
    expect(looked.status).toBe(400);
  });

  test("an unknown name is 404", async () => {
    const { store } = storeWithClock({ leased });
    await using _ = store;
    expect((await ask(store, "GET", "dev-lease/other")).status).toBe(404);
  });
});

describe("start", () => {
  test("puts every secret in its mount", async () => {
    const secrets = { "secret/data/app": { a: "1" }, "team/kv/data/x/y": { b: [1] } };
    await using store = startDevStore({ secrets, token: "t0ken" });
    expect(store.token).toBe("t0ken");
    const inner = await ask(store, "GET", "team/kv/data/x/y");
    expect(inner.body["data"]).toMatchObject({ data: { b: [1] }, metadata: { version: 1 } });
    const mount = await ask(store, "GET", "sys/internal/ui/mounts/team/kv/data/x/y");
    expect(mount.body["data"]).toMatchObject({
      path: "team/kv/",
      type: "kv",
      options: { version: "2" },
    });
  });

  test("listens on the IPv6 loopback address too", async () => {
    await using store = startDevStore({ secrets: {}, host: "::1" });
    expect(store.address).toStartWith("http://[::1]:");
    expect((await ask(store, "GET", "sys/health")).status).toBe(200);
  });

  const REFUSED: readonly (readonly [name: string, options: DevStoreOptions, code: string])[] = [
    ["an address that others can reach", { secrets: {}, host: "0.0.0.0" }, "BAD_OPTIONS"],
    [
      "a name that only looks like loopback",
      { secrets: {}, host: "127.0.0.1.example" },
      "BAD_OPTIONS",
    ],
    ["a path that is not KV version 2", { secrets: { "secret/app": {} } }, "BAD_OPTIONS"],
  ];
  for (const [name, options, code] of REFUSED) {
    test(`refuses ${name}`, () => {
      expect(codeOf(() => startDevStore(options))).toBe(code);
    });
  }

  test("says when the port is taken", async () => {
    await using store = startDevStore({ secrets: {} });
    const port = Number(new URL(store.address).port);
    expect(codeOf(() => startDevStore({ secrets: {}, port }))).toBe("CANNOT_LISTEN");
  });

  test("stops listening, and may be stopped twice", async () => {
    const store = startDevStore({ secrets: {} });
    await store.stop();
    await store.stop();
    expect(fetch(`${store.address}/v1/sys/health`)).rejects.toThrow();
  });
});

function codeOf(start: () => DevStore): string {
  try {
    void start().stop();
    return "started";
  } catch (error) {
    if (!(error instanceof DevStoreError)) throw error;
    return error.code;
  }
}
