import { afterEach, describe, expect, test } from "bun:test";
import { VaultError } from "@svc/vault";
import { busyBudget } from "./busy-budget.ts";
import type { HintVault } from "./hint-vault.ts";
import { LookKeeper } from "./keep-looks.ts";
import type { FoundVersion } from "./subscription.ts";
import { SubscriptionBook } from "./subscription-book.ts";
import { foundVersion, keyOf } from "./testdata/hub-stage.ts";
import { virtualClock } from "./testdata/virtual-clock.ts";
import { vaultAway } from "./vault-away.ts";

const ended: AbortController[] = [];
afterEach(() => {
  for (const controller of ended.splice(0)) controller.abort();
});

/** A vault with secrets `secret/data/0` and so on, and a keeper that looks at it. */
function stageOf({ total, used }: { readonly total: number; readonly used: number }) {
  const clock = virtualClock();
  const versions = new Map(Array.from({ length: total }, (_, index) => [`${index}`, 1]));
  const asked: string[] = [];
  const lines: string[] = [];
  const news: string[] = [];
  let failure: Error | undefined;
  const refused: { scan?: VaultError; readonly read: Map<string, VaultError> } = {
    read: new Map(),
  };
  const answer = async <T>(name: string, ms: number, value: () => T): Promise<T> => {
    asked.push(`${name} at ${Math.round(clock.nowMs())}`);
    await clock.pause(ms);
    if (failure !== undefined) throw failure;
    return value();
  };
  const found = (name: string): FoundVersion | undefined => {
    const version = versions.get(name);
    return version === undefined ? undefined : foundVersion(version);
  };
  const vault: HintVault = {
    scan: (mount) =>
      answer(`scan ${mount}`, total / 20, () => {
        if (refused.scan !== undefined) throw refused.scan;
        return new Map([...versions.keys()].map((name) => [name, found(name) as FoundVersion]));
      }),
    read: (path) =>
      answer(path, 0.5, () => {
        const problem = refused.read.get(path);
        if (problem !== undefined) throw problem;
        const name = path.split("/").at(-1) ?? "";
        if (!versions.has(name)) throw new VaultError("NOT_FOUND", "read: status 404", {});
        return found(name);
      }),
  };
  const controller = new AbortController();
  ended.push(controller);
  const looks = new LookKeeper(
    {
      ...{ vault, budget: busyBudget(), away: vaultAway(() => 1) },
      ...{ nowMs: clock.nowMs, pause: clock.pause },
      count: () => undefined,
      onNews: (paths) => news.push(...paths.map(({ name }) => name)),
      log: (level, message) => lines.push(`${level} ${message}`),
    },
    controller.signal,
  );
  const book = new SubscriptionBook((mount) => looks.watch(mount));
  const place = { address: "192.0.2.1", port: 8199, tls: false };
  const subscribe = (uid: string, names: readonly string[]) =>
    book.put(
      {
        ...{ uid, ...place, key: keyOf(uid) },
        secrets: names.map((name) => ({ path: `secret/data/${name}`, version: 1 })),
      },
      clock.nowMs(),
    );
  subscribe(
    "pod",
    Array.from({ length: used }, (_, index) => `${index}`),
  );
  return {
    ...{ clock, versions, asked, lines, news, refused, book, looks, controller, subscribe },
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
}

describe("the way", () => {
  test("a mount of which much is used is scanned once in a second", async () => {
    const { clock, asked, lines, news, versions } = stageOf({ total: 100, used: 20 });
    await clock.pass(10_500);
    expect(new Set(asked.map((text) => text.split(" at ")[0]))).toEqual(new Set(["scan secret"]));
    expect(asked.length).toBeGreaterThanOrEqual(9);
    expect(asked.length).toBeLessThanOrEqual(12);
    expect(lines).toEqual(["info versions for hints are looked up by scan"]);
    expect(news).toHaveLength(20);
    versions.set("3", 2);
    await clock.pass(1500);
    expect(news.slice(20)).toEqual(["3"]);
  });

  test("of a mount of which little is used the metadata of each is read", async () => {
    const { clock, asked, lines, news } = stageOf({ total: 2000, used: 20 });
    await clock.pass(20_000);
    expect(asked.filter((text) => text.startsWith("scan"))).toHaveLength(1);
    expect(asked.length).toBeGreaterThan(200);
    expect(lines.at(-1)).toBe("info versions for hints are looked up by metadata");
    expect(news).toHaveLength(20);
  });

  test("a few are read without a scan", async () => {
    const { clock, asked } = stageOf({ total: 10, used: 5 });
    await clock.pass(3000);
    expect(asked.some((text) => text.startsWith("scan"))).toBe(false);
    expect(asked.length).toBeGreaterThanOrEqual(10);
  });

  test.each([
    ["refused", new VaultError("DENIED", "scan: status 403", { status: 403 })],
    ["not there, as in Vault", new VaultError("BAD_REQUEST", "scan: status 405", { status: 405 })],
    ["too large", new VaultError("TOO_LARGE", "scan: too large", {})],
  ])(
    "a scan that is %s is tried again after an hour",
    async (_, error) => {
      const { clock, asked, lines, news, refused } = stageOf({ total: 100, used: 20 });
      refused.scan = error;
      await clock.pass(3_590_000);
      expect(asked.filter((text) => text.startsWith("scan"))).toHaveLength(1);
      expect(lines).toEqual([
        `info scan for hints is not used: ${error.message}`,
        "info versions for hints are looked up by metadata",
      ]);
      expect(news).toHaveLength(20);
      delete refused.scan;
      await clock.pass(30_000);
      expect(lines.at(-1)).toBe("info versions for hints are looked up by scan");
    },
    30_000,
  );
});

describe("the vault's time", () => {
  test("no more than a twentieth of it is taken, by scans or reads", async () => {
    const scans = stageOf({ total: 20_000, used: 2000 });
    await scans.clock.pass(200_000);
    // Each takes a second.
    expect(scans.asked.length).toBeLessThanOrEqual(12);
    expect(scans.asked.length).toBeGreaterThanOrEqual(9);
    const reads = stageOf({ total: 1000, used: 500 });
    reads.refused.scan = new VaultError("DENIED", "scan: status 403", {});
    await reads.clock.pass(60_000);
    expect((reads.asked.length * 0.7) / 60_000).toBeLessThan(0.055);
    expect(reads.asked.length).toBeGreaterThan(4 * 500);
  }, 60_000);

  test("a path of a new subscriber goes ahead of a long round", async () => {
    const { clock, asked, subscribe } = stageOf({ total: 50_000, used: 3000 });
    await clock.pass(60_000);
    const before = asked.length;
    subscribe("late", ["40000"]);
    await clock.pass(1000);
    const place = asked.slice(before).findIndex((text) => text.startsWith("secret/data/40000 "));
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThan(10);
  }, 60_000);
});

test("a secret that is refused or not there is asked for once in a minute", async () => {
  const { clock, asked, news, versions, refused } = stageOf({ total: 5, used: 5 });
  refused.read.set("secret/data/1", new VaultError("DENIED", "read: status 403", {}));
  versions.delete("2");
  await clock.pass(50_000);
  expect(asked.filter((text) => text.startsWith("secret/data/1 "))).toHaveLength(1);
  expect(asked.filter((text) => text.startsWith("secret/data/2 "))).toHaveLength(1);
  expect(asked.filter((text) => text.startsWith("secret/data/3 ")).length).toBeGreaterThan(40);
  refused.read.clear();
  versions.set("2", 1);
  await clock.pass(70_000);
  expect(news.slice(-2).sort()).toEqual(["1", "2"]);
});

test("a vault that is away is asked ever more rarely, and both are said once", async () => {
  const { clock, asked, lines, fail } = stageOf({ total: 5, used: 2 });
  await clock.pass(3000);
  fail(new VaultError("UNREACHABLE", "read: refused", {}));
  await clock.pass(1000);
  const before = asked.length;
  await clock.pass(300_000);
  expect(asked.length - before).toBeLessThan(40);
  expect(lines.filter((line) => line.startsWith("warn"))).toEqual([
    "warn look up versions for hints: read: refused",
  ]);
  fail(undefined);
  await clock.pass(31_000);
  expect(lines.slice(-1)).toEqual(["info versions for hints can be looked up again"]);
});

test("Retry-After is obeyed", async () => {
  const { clock, asked, fail } = stageOf({ total: 5, used: 1 });
  fail(new VaultError("RATE_LIMITED", "read: status 429", { retryAfterMs: 20_000 }));
  await clock.pass(19_000);
  expect(asked).toHaveLength(1);
  fail(undefined);
  await clock.pass(5000);
  expect(asked.length).toBeGreaterThan(1);
});

test("looks end with the last subscription, and with the signal", async () => {
  const { clock, asked, book, looks, controller, subscribe } = stageOf({ total: 5, used: 2 });
  await clock.pass(3000);
  book.clear();
  await clock.pass(2000);
  const before = asked.length;
  await clock.pass(60_000);
  expect(asked.length).toBe(before);
  subscribe("other", ["0"]);
  await clock.pass(2000);
  expect(asked.length).toBeGreaterThan(before);
  controller.abort();
  await clock.pass(1);
  await looks.ended();
});
