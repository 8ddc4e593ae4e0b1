import { describe, expect, test } from "bun:test";
import {
  type CheckPace,
  checkPauseMs,
  grownSplayMs,
  type RotationPace,
  rotationPauseMs,
} from "./pace.ts";

const HOUR_MS = 3_600_000;
const never = Number.POSITIVE_INFINITY;

describe("the pause before a check", () => {
  const calm: CheckPace = {
    intervalMs: 30_000,
    failures: 0,
    lasting: false,
    first: false,
    tokenUnknown: false,
    dueInMs: never,
    random: 0.5,
  };
  const rows: readonly (readonly [name: string, pace: Partial<CheckPace>, ms: number])[] = [
    ["is the interval", {}, 30_000],
    ["is a tenth less at the least", { random: 0 }, 27_000],
    ["is a tenth more at the most", { random: 1 }, 33_000],
    [
      "spreads the first one over the interval, from a tenth of it",
      { first: true, random: 0 },
      3000,
    ],
    ["spreads the first one up to the interval", { first: true, random: 1 }, 30_000],
    ["is short if nothing is known of the token", { first: true, tokenUnknown: true }, 1000],
    ["ends when something is due", { dueInMs: 1234 }, 1234],
    ["is never zero, also with overdue tasks", { dueInMs: -5000 }, 500],
    ["is no longer than the interval for that", { dueInMs: -1, intervalMs: 100 }, 100],
    ["backs off from a second on, half of it jitter", { failures: 1 }, 750],
    ["doubles with each failure", { failures: 4 }, 6000],
    ["backs off to the interval at the least", { failures: 40, random: 0 }, 30_000],
    [
      "backs off no longer than twice the interval",
      { failures: 40, intervalMs: 7000, random: 1 },
      14_000,
    ],
    ["backs off no longer than a minute", { failures: 40, intervalMs: HOUR_MS, random: 1 }, 60_000],
    [
      "backs off to ten intervals from a failure that a person has to mend",
      { failures: 40, lasting: true, intervalMs: 7000, random: 1 },
      70_000,
    ],
    [
      "backs off no longer than five minutes from one",
      { failures: 40, lasting: true, random: 1 },
      300_000,
    ],
    ["does not storm if the die says 0", { failures: 3, random: 0 }, 2000],
    [
      "does not hurry to due tasks when the vault does not answer",
      { failures: 3, dueInMs: 0 },
      3000,
    ],
  ];
  for (const [name, pace, ms] of rows) {
    test(name, () => expect(checkPauseMs({ ...calm, ...pace })).toBe(ms));
  }
});

describe("the pause before a rotation", () => {
  const calm: RotationPace = {
    debounceMs: 1000,
    splayMs: 10_000,
    minIntervalMs: 60_000,
    sinceLastMs: HOUR_MS,
    failures: 0,
    expiresInMs: never,
    random: 0.5,
  };
  const rows: readonly (readonly [name: string, pace: Partial<RotationPace>, ms: number])[] = [
    ["is within the splay", {}, 5000],
    ["is the debounce at the least", { random: 0 }, 1000],
    ["is the debounce without a splay", { splayMs: 0, debounceMs: 300 }, 300],
    ["is nothing if neither is wanted", { splayMs: 0, debounceMs: 0 }, 0],
    ["waits for the least interval since the last one", { sinceLastMs: 10_000 }, 50_000],
    ["waits no longer than half of the time to an expiry", { expiresInMs: 4000 }, 2000],
    ["is nothing if a secret has expired", { expiresInMs: -1 }, 0],
    ["keeps the least interval before an expiry", { expiresInMs: 10, sinceLastMs: 0 }, 60_000],
    ["keeps the least interval after an expiry", { expiresInMs: -9, sinceLastMs: 1 }, 59_999],
    ["backs off after a failure", { failures: 5 }, 16_000],
    ["backs off no longer than a minute", { failures: 50 }, 60_000],
    ["backs off also before an expiry", { failures: 3, expiresInMs: 100 }, 4000],
  ];
  for (const [name, pace, ms] of rows) {
    test(name, () => expect(rotationPauseMs({ ...calm, ...pace })).toBe(ms));
  }
});

test.each([
  ["stays without a measured start", 10_000, undefined, 10_000],
  ["stays if the program starts in a tenth of it", 10_000, 900, 10_000],
  ["is ten starts of a program that takes longer", 10_000, 45_000, 450_000],
  ["grows to an hour at most", 10_000, HOUR_MS, HOUR_MS],
  ["is longer than an hour if its owner wants that", 2 * HOUR_MS, HOUR_MS, 2 * HOUR_MS],
  ["stays 0", 0, 45_000, 0],
])("the splay %s", (_name, splayMs, startTookMs, grownMs) => {
  expect(grownSplayMs(splayMs, startTookMs)).toBe(grownMs);
});
