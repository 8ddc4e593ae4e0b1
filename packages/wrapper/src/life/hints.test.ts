import { describe, expect, test } from "bun:test";
import type { WatchedPath } from "../messages/courier-job.ts";
import { least, permits, settingsOf } from "../settings/testdata/least-environment.ts";
import { hintedSecrets } from "./hints.ts";
import type { LifeEffect, LifeEvent } from "./life.ts";
import {
  checked,
  failedCheck,
  outage,
  running,
  type Story,
  summary,
  time,
} from "./testdata/story.ts";

const INTERVAL_MS = 30_000;
const HINTED_MS = 600_000;
const settings = settingsOf({ ...least, SVC_ROTATION_SPLAY: "0s", ...permits, SVC_HINTS: "true" });

const fresh = (untilMs: number): LifeEvent => ({ kind: "hint", hint: { kind: "fresh", untilMs } });
const changed = (mayCheck = true): LifeEvent => ({
  kind: "hint",
  hint: { kind: "changed", mayCheck },
});
const refused: LifeEvent = { kind: "hint", hint: { kind: "refused" } };

/** A program whose first check has ended at 100,000 ms, after a hint that holds for 75 s. */
function hinted(untilMs = 175_000): Story {
  const story = running(settings);
  story.tell(time, { nowMs: 100_000 });
  story.tell(fresh(untilMs));
  return story;
}

/** The pause that the last of the effects begins. */
function lastWaitMs(effects: readonly LifeEffect[]): number {
  const last = effects.at(-1);
  return last?.kind === "wait" ? last.ms : Number.NaN;
}

describe("while hints say that the secrets are the newest", () => {
  test("the wrapper waits until they would stop, and then for at most an interval", () => {
    expect(lastWaitMs(hinted().tell(checked()))).toBe(75_000 + INTERVAL_MS / 2);
  });

  test("it goes on waiting once another hint has come", () => {
    const story = hinted();
    story.tellAll(checked(), fresh(205_000));
    expect(summary(story.tell(time, { nowMs: 190_000 }))).toEqual(["wait 30000"]);
  });

  test("it checks all the same after the longer interval", () => {
    const story = hinted();
    story.tellAll(checked(), fresh(10_000_000));
    expect(summary(story.tell(time, { nowMs: 190_000 }))).toEqual([
      `wait ${100_000 + HINTED_MS - 190_000}`,
    ]);
    expect(summary(story.tell(time, { nowMs: 100_000 + HINTED_MS }))).toEqual(["check"]);
  });

  test("it checks once they have stopped", () => {
    const story = hinted();
    story.tell(checked());
    expect(summary(story.tell(time, { nowMs: 190_000 }))).toEqual(["check"]);
  });

  test("a failed check is repeated as without them", () => {
    expect(lastWaitMs(hinted().tell(failedCheck(outage)))).toBeLessThan(2000);
  });

  test("a program with older values waits as without them", () => {
    const story = hinted();
    const effects = story.tell(checked({ changed: true }), { nowMs: 100_500 });
    expect(lastWaitMs(effects)).toBeLessThanOrEqual(INTERVAL_MS * 1.1);
  });

  test("a planned rotation comes in time", () => {
    const story = hinted();
    const plan = { ...story.life, stage: { ...story.life.stage, rotateAtMs: 101_000 } };
    story.life = plan as typeof story.life;
    expect(lastWaitMs(story.tell(checked()))).toBe(1000);
  });
});

describe("a hint that a secret has changed", () => {
  test("causes an ordinary check, and ends the freshness", () => {
    const story = hinted();
    story.tell(checked());
    expect(summary(story.tell(changed()))).toEqual(["cancel", "check"]);
    expect(lastWaitMs(story.tell(checked()))).toBeLessThanOrEqual(INTERVAL_MS * 1.1);
  });

  test("causes another check while one is under way, which may have read before", () => {
    const story = hinted();
    expect(summary(story.tell(changed()))).toEqual([]);
    expect(lastWaitMs(story.tell(checked()))).toBe(0);
  });

  test("causes no check if too many have come, but ends the freshness", () => {
    const story = hinted();
    story.tell(checked());
    expect(summary(story.tell(changed(false)))).toEqual([]);
    expect(summary(story.tell(time, { nowMs: 120_000 }))).toEqual(["check"]);
  });
});

test("hints are counted, and a refused one changes nothing else", () => {
  const story = hinted();
  const before = story.life;
  story.tellAll(refused, refused, changed());
  expect(story.life.counts.hints).toEqual({ fresh: 1, changed: 1, refused: 2 });
  expect({ ...before, counts: undefined, freshUntilMs: 0 }).toMatchObject({
    ...{ versions: story.life.versions, phase: story.life.phase },
  });
});

describe("a subscription names", () => {
  const v2: WatchedPath = { path: "secret/data/app", version: 3, by: "metadata" };
  const rows: readonly (readonly [string, readonly WatchedPath[], number, boolean])[] = [
    ["nothing without secrets", [], 0, true],
    ["a secret of KV v2", [v2], 1, true],
    ["one whose metadata the wrapper may not read", [{ ...v2, by: "values" }], 1, true],
    ["no pinned version", [v2, { ...v2, version: 2, pinned: true }], 1, false],
    ["no secret without a version", [v2, { path: "kv/app", by: "values" }], 1, false],
    ["no path of which the mount is not known", [{ ...v2, path: "a/data/data/b" }], 0, false],
    [
      "no more than the operator takes",
      Array.from({ length: 129 }, (_, index) => ({ ...v2, path: `secret/data/${index}` })),
      128,
      false,
    ],
  ];
  test.each(rows)("%s", (_, watched, count, areAll) => {
    const hinted = hintedSecrets({ watched });
    expect([hinted.secrets.length, hinted.areAll]).toEqual([count, areAll]);
  });
});
