import { describe, expect, test } from "bun:test";
import { openedFields } from "../../test/closed.ts";
import { clientOf, failure, json, kv2, startServer } from "../../test/test-server.ts";
import { vaultErrorCatalogue } from "../errors/error-catalogue.ts";
import { VaultError } from "../errors/vault-error.ts";
import { Secret } from "../values/secret.ts";
import type { RetryEvent } from "./client-options.ts";

const token = new Secret("hvs.test");
const ref = { path: "secret/data/app" };
const immediately = { retry: {}, sleep: () => Promise.resolve() };

describe("a request is tried again", () => {
  test.each([
    [503, "Vault is sealed", "SEALED"],
    [501, "", "NOT_INITIALIZED"],
    [473, "", "STANDBY"],
    [429, "", "RATE_LIMITED"],
    [500, "", "SERVER_ERROR"],
    [502, "", "SERVER_ERROR"],
    [412, "", "SERVER_ERROR"],
  ])("after %d %s", async (status, text, code) => {
    let tries = 0;
    const events: RetryEvent[] = [];
    using server = startServer(() =>
      ++tries < 3 ? json({ errors: [text] }, status) : kv2('{"k":"v"}'),
    );
    const onRetry = (event: RetryEvent) => events.push(event);
    const client = clientOf(server, { ...immediately, onRetry });
    expect(openedFields(await client.readSecret(token, ref))).toEqual({ k: "v" });
    expect(events.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(events.map<string>(({ error }) => error.code)).toEqual([code, code]);
  });

  test("when the server comes up late", async () => {
    const gone = startServer(() => kv2("{}"));
    gone[Symbol.dispose]();
    let late: Disposable | undefined;
    const sleep = () => {
      const port = Number(new URL(gone.address).port);
      late ??= Bun.serve({ port, hostname: "127.0.0.1", fetch: () => kv2("{}") });
      return Promise.resolve();
    };
    const client = clientOf(gone, { retry: {}, sleep });
    expect((await client.readSecret(token, ref)).version).toBe(1);
    late?.[Symbol.dispose]();
  });

  test("not when no repetition mends it", async () => {
    using server = startServer(() => json({ errors: [] }, 403));
    expect((await failure(clientOf(server, immediately).readSecret(token, ref))).code).toBe(
      "DENIED",
    );
    expect(server.seen.length).toBe(1);
  });

  test("at most as often as allowed, and the error says how often", async () => {
    using server = startServer(() => json({ errors: ["Vault is sealed"] }, 503));
    const client = clientOf(server, { ...immediately, retry: { maxAttempts: 4 } });
    const error = await failure(client.readSecret(token, ref));
    expect(server.seen.length).toBe(4);
    expect(error.message).toMatch(/Vault is sealed \(4 tries in \d+ ms\)$/);
    expect(error.status).toBe(503);
  });
});

describe("the pause", () => {
  test.each<[what: string, header: () => string, leastMs: number]>([
    ["seconds", () => "2", 2000],
    // The date is made when the request comes: a busy machine may take its time until then.
    ["a date", () => new Date(Date.now() + 20_000).toUTCString(), 10_000],
  ])("is at least the pause of a Retry-After with %s", async (_, header, leastMs) => {
    const pauses: number[] = [];
    let tries = 0;
    using server = startServer(() =>
      ++tries === 1 ? json({ errors: [] }, 429, { "Retry-After": header() }) : kv2("{}"),
    );
    const sleep = async (ms: number) => void pauses.push(ms);
    await clientOf(server, { retry: {}, sleep, random: () => 0 }).readSecret(token, ref);
    expect(pauses.length).toBe(1);
    expect(pauses[0]).toBeGreaterThanOrEqual(leastMs);
  });

  test("is not made when Retry-After lies beyond the deadline", async () => {
    using server = startServer(() => json({ errors: [] }, 429, { "Retry-After": "3600" }));
    const error = await failure(clientOf(server, { retry: {} }).readSecret(token, ref));
    expect(error.code).toBe("RATE_LIMITED");
    expect(error.retryAfterMs).toBe(3_600_000);
  });

  test("ends when the caller gives up", async () => {
    const controller = new AbortController();
    using server = startServer(() => json({ errors: [] }, 429, { "Retry-After": "30" }));
    const client = clientOf(server, {
      retry: {},
      signal: controller.signal,
      onRetry: () => queueMicrotask(() => controller.abort()),
    });
    expect((await failure(client.readSecret(token, ref))).code).toBe("CANCELLED");
  });
});

describe("the deadline", () => {
  test("ends the tries, and the last telling error is reported", async () => {
    let tries = 0;
    using server = startServer(() =>
      ++tries === 1
        ? json({ errors: ["Vault is sealed"] }, 503)
        : new Promise<Response>(() => undefined),
    );
    const client = clientOf(server, { retry: { deadlineMs: 300, baseDelayMs: 1 } });
    const error = await failure(client.readSecret(token, ref));
    expect(error.code).toBe("SEALED");
    expect(tries).toBe(2);
  });

  test("is one for all reads of a call", async () => {
    using server = startServer(() => json({ errors: ["Vault is sealed"] }, 503));
    const client = clientOf(server, {
      concurrency: 1,
      retry: { deadlineMs: 2000, baseDelayMs: 100, maxDelayMs: 200 },
    });
    const startedAtMs = performance.now();
    const refs = Array.from({ length: 10 }, () => ref);
    const outcomes = await client.readSecrets(token, refs);
    expect(outcomes.every(({ ok }) => !ok)).toBe(true);
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  });
});

describe("the catalogue", () => {
  test.each(Object.entries(vaultErrorCatalogue))("explains %s", (_code, entry) => {
    expect(entry.meaning).toMatch(/^[a-z].*[^.]$/);
    expect(entry.hint).toMatch(/[^.]$/);
  });

  test("is the default of an error", () => {
    expect(new VaultError("SEALED", "x").hint).toBe(vaultErrorCatalogue.SEALED.hint);
    expect(new VaultError("TLS", "x").retryable).toBe(false);
  });
});
