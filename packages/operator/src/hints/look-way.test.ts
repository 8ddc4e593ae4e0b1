import { expect, test } from "bun:test";
import { busyBudget } from "./busy-budget.ts";
import { lookWay } from "./look-way.ts";
import { usualTime } from "./usual-time.ts";

const never = Number.NEGATIVE_INFINITY;
const HOUR = 3_600_000;

test.each([
  ["a few", { used: 8 }, "metadata"],
  ["a mount that was never scanned", { used: 9 }, "scan"],
  ["a sixteenth of a mount", { used: 100, total: 1600, scannedMs: 0 }, "metadata"],
  ["more of it", { used: 101, total: 1600, scannedMs: 0 }, "scan"],
  ["a total of an hour ago", { used: 9, total: 1600, scannedMs: 1000 - HOUR }, "scan"],
  ["a scan that was refused", { used: 100, scanRefusedUntilMs: 1001 }, "metadata"],
  ["a refusal of an hour ago", { used: 100, scanRefusedUntilMs: 1000 }, "scan"],
] as const)("%s", (_, facts, way) => {
  const whole = { total: undefined, scanRefusedUntilMs: never, scannedMs: never, ...facts };
  expect(lookWay(whole, 1000)).toBe(way);
});

test("a budget lets a burst go, and then a twentieth of the time", () => {
  const budget = busyBudget();
  const waits = Array.from({ length: 12 }, () => budget.reserve(1000, 5));
  expect(waits.slice(0, 11).every((ms) => ms === 0)).toBe(true);
  expect(waits[11]).toBe(100);
  budget.correct(5, 25);
  expect(budget.reserve(1000, 5)).toBe(600);
  // Saved time is not saved for ever.
  expect(Array.from({ length: 12 }, () => budget.reserve(1_000_000, 5)).at(-1)).toBe(100);
});

test("one slow answer is not believed, and many are", () => {
  const usual = usualTime(10);
  expect(usual.note(10)).toBe(10);
  expect(usual.note(1000)).toBe(30);
  for (let times = 0; times < 20; times += 1) usual.note(1000);
  expect(usual.ms()).toBeGreaterThan(900);
  for (let times = 0; times < 20; times += 1) usual.note(10);
  expect(usual.ms()).toBeLessThan(20);
});
