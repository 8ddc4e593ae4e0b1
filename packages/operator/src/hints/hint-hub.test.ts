import { describe, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import type { HintAnswer } from "./hint-answer.ts";
import { foundVersion, hubStage } from "./testdata/hub-stage.ts";

const DB = "secret/data/shop/db";
const KEY = "secret/data/shop/key";

/** A subscriber that knows the newest version of DB, and looks that find it every second. */
async function settled(answer?: (uid: string) => HintAnswer) {
  const stage = hubStage(answer);
  stage.subscribe("a", { [DB]: 1 });
  let newest = foundVersion(1);
  const pass = (ms: number) => {
    let ticks = 0;
    return stage.pass(ms, () => {
      ticks += 1;
      if (ticks % 10 === 0 && stage.book.size > 0) stage.look(DB, newest);
    });
  };
  await pass(2000);
  return {
    ...{ ...stage, stage, pass },
    write: (found: typeof newest) => {
      newest = found;
    },
  };
}

describe("a subscriber that knows the newest versions", () => {
  test("is told so after the first look, and then with each heartbeat", async () => {
    const { said, pass } = await settled();
    expect(said).toEqual([
      { uid: "a", news: "fresh", validMs: 75_000, sequence: 5000, atMs: expect.any(Number) },
    ]);
    await pass(300_000);
    const gaps = said.slice(1).map(({ atMs }, index) => atMs - (said[index]?.atMs ?? 0));
    expect(said.every(({ news }) => news === "fresh")).toBe(true);
    expect(said.length).toBeGreaterThanOrEqual(10);
    expect(Math.max(...gaps)).toBeLessThan(75_000);
    expect(said.map(({ sequence }) => sequence)).toEqual(said.map((_, index) => 5000 + index));
  });

  test("hears nothing while the vault is not looked at", async () => {
    const { said, stage, clock } = await settled();
    const lastLookMs = clock.nowMs;
    await stage.pass(600_000);
    // The last look counts for ten seconds.
    expect(said.filter(({ atMs }) => atMs > lastLookMs + 10_000)).toEqual([]);
    expect(stage.book.size).toBe(1);
  });

  test("hears nothing if one of its secrets is not known to the vault", async () => {
    const stage = hubStage();
    stage.subscribe("a", { [DB]: 1, [KEY]: 1 });
    await stage.pass(60_000, () => {
      stage.look(DB, foundVersion(1));
      stage.look(KEY, undefined);
    });
    expect(stage.said).toEqual([]);
  });

  test("hears nothing of a version that is deleted or destroyed already", async () => {
    const stage = hubStage();
    stage.subscribe("a", { [DB]: 1 });
    await stage.pass(60_000, () => stage.look(DB, foundVersion(1, { isUsable: false })));
    expect(stage.said).toEqual([]);
  });
});

describe("a subscriber hears of a change at once", () => {
  test.each([
    ["a new version", foundVersion(2)],
    ["an older version, of a restored snapshot", foundVersion(0)],
    ["the same version with another content", foundVersion(1, { stamp: "made later" })],
    ["a deleted version", foundVersion(1, { isUsable: false })],
  ])("%s", async (_, found) => {
    const { said, pass, write, clock } = await settled();
    await pass(10_000);
    const before = said.length;
    const changedMs = clock.nowMs;
    write(found);
    await pass(1200);
    expect(said.slice(before).map(({ news, validMs }) => [news, validMs])).toEqual([
      ["changed", 0],
    ]);
    expect((said.at(-1)?.atMs ?? 0) - changedMs).toBeLessThanOrEqual(1000);
  });

  test("and again after 5, 15 and 45 s, and with heartbeats, until it subscribes again", async () => {
    const stage = await settled();
    const { said, pass, write, subscribe } = stage;
    await pass(10_000);
    write(foundVersion(2));
    await pass(60_000);
    const changes = said.filter(({ news }) => news === "changed").map(({ atMs }) => atMs);
    const seconds = changes.map((atMs) => Math.round((atMs - (changes[0] ?? 0)) / 1000));
    expect(seconds).toEqual(expect.arrayContaining([0, 5, 15, 45]));
    subscribe("a", { [DB]: 2 });
    const before = said.length;
    await pass(120_000);
    const later = said.slice(before).map(({ news }) => news);
    expect(later.length).toBeGreaterThan(2);
    expect(new Set(later)).toEqual(new Set(["fresh"]));
  });

  test("if it has subscribed with a version that is old already", async () => {
    const { newsOf, pass, write, subscribe } = await settled();
    write(foundVersion(2));
    await pass(1000);
    subscribe("late", { [DB]: 1 });
    await pass(2000);
    expect(newsOf("late")).toEqual(["changed"]);
  });

  test("and not if it knows a version before the operator does", async () => {
    const { newsOf, pass, write, subscribe } = await settled();
    subscribe("quick", { [DB]: 2 });
    await pass(500);
    write(foundVersion(2));
    await pass(5000);
    expect(newsOf("quick")).toEqual(["fresh"]);
  });

  test("although it has renewed before it heard of it", async () => {
    let outcome: HintAnswer["outcome"] = "taken";
    const { newsOf, pass, write, subscribe } = await settled(() => ({ outcome }));
    outcome = "failed";
    write(foundVersion(1, { stamp: "restored" }));
    await pass(1500);
    outcome = "taken";
    subscribe("a", { [DB]: 1 });
    await pass(2000);
    expect(newsOf("a").slice(-2)).toEqual(["changed", "changed"]);
  });
});

test("a flood of changes of a secret costs a subscriber one hint in a second", async () => {
  const stage = hubStage();
  stage.subscribe("a", { [DB]: 1 });
  let version = 1;
  await stage.pass(20_000, () => {
    stage.look(DB, foundVersion(version));
    version += 1;
  });
  expect(stage.said.length).toBeGreaterThan(10);
  expect(stage.said.length).toBeLessThanOrEqual(21);
});

test("a change is said at once behind a heartbeat", async () => {
  const stage = hubStage();
  stage.subscribe("a", { [DB]: 1 });
  stage.look(DB, foundVersion(1));
  await stage.pass(300, () => stage.look(DB, foundVersion(1)));
  expect(stage.newsOf("a")).toEqual(["fresh"]);
  stage.look(DB, foundVersion(2));
  await stage.pass(100);
  expect(stage.newsOf("a")).toEqual(["fresh", "changed"]);
});

test("a stranger that names wrong versions costs the other subscribers nothing", async () => {
  const { said, pass, subscribe } = await settled();
  await pass(1000);
  const before = said.length;
  for (let times = 0; times < 10; times += 1) {
    subscribe("stranger", { [DB]: 99 });
    await pass(1000);
  }
  expect(said.slice(before).filter(({ uid }) => uid === "a").length).toBeLessThanOrEqual(1);
});

describe("the wrapper's answer", () => {
  test("over: nothing is sent to it any more", async () => {
    const { said, counted, book, pass } = await settled(() => ({ outcome: "over" }));
    expect([book.size, counted]).toEqual([0, ["fresh over"]]);
    await pass(120_000);
    expect(said).toHaveLength(1);
  });

  test("later: it is asked again when it wants it, and not of a change before", async () => {
    const { said, pass, write } = await settled(() => ({ outcome: "later", retryAfterMs: 17_000 }));
    write(foundVersion(2));
    await pass(40_000);
    const gaps = said.slice(1).map(({ atMs }, index) => atMs - (said[index]?.atMs ?? 0));
    expect(said.map(({ news }) => news).slice(0, 2)).toEqual(["fresh", "changed"]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(17_000);
  });

  test("failed: it is asked again ever later, and then given up", async () => {
    const { said, book, pass } = await settled(() => ({ outcome: "failed" }));
    await pass(600_000);
    expect(book.size).toBe(0);
    expect(said).toHaveLength(8);
  });
});

test("a subscription ends 25 minutes after its last renewal", async () => {
  const { book, pass, subscribe } = await settled();
  await pass(1_440_000);
  expect(book.size).toBe(1);
  subscribe("a", { [DB]: 1 });
  await pass(1_440_000);
  expect(book.size).toBe(1);
  await pass(120_000);
  expect(book.size).toBe(0);
});

test("heartbeats of many subscribers are spread, and none is left out", async () => {
  const stage = hubStage();
  const count = 3000;
  for (let index = 0; index < count; index += 1) stage.subscribe(`p${index}`, { [DB]: 1 });
  await stage.pass(4000, () => stage.look(DB, foundVersion(1)));
  const first = stage.said.length;
  expect(new Set(stage.said.map(({ uid }) => uid)).size).toBe(count);
  await stage.pass(60_000, () => stage.look(DB, foundVersion(1)));
  const beats = stage.said.slice(first);
  expect(new Set(beats.map(({ uid }) => uid)).size).toBe(count);
  const atOnce = Map.groupBy(beats, ({ atMs }) => atMs);
  expect(Math.max(...[...atOnce.values()].map(({ length }) => length))).toBeLessThan(200);
});

test("pods that do not answer keep the others waiting for a moment only", async () => {
  const { promise } = Promise.withResolvers<HintAnswer>();
  const stage = hubStage((uid) => (uid.startsWith("cut") ? promise : { outcome: "taken" }));
  for (let index = 0; index < 500; index += 1) stage.subscribe(`cut${index}`, { [DB]: 1 });
  for (let index = 0; index < 500; index += 1) stage.subscribe(`p${index}`, { [DB]: 1 });
  await stage.pass(1000, () => stage.look(DB, foundVersion(1)));
  const reached = () => new Set(stage.said.map(({ uid }) => uid)).size;
  await waitFor(() => reached() === 1000 || undefined, {
    deadlineMs: 20_000,
    what: "each pod to be asked",
  });
});
