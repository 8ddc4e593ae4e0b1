import { describe, expect, test } from "bun:test";
import { formatDuration, parseDurationMs, shortDuration } from "./go-duration.ts";

const PARSED: readonly (readonly [value: number | string, wantedMs: number | undefined])[] = [
  ["90", 90_000],
  [90, 90_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["100ms", 100],
  ["2d", 172_800_000],
  ["-5s", -5000],
  ["", 0],
  ["x", undefined],
  ["1h30", undefined],
  ["5 s", undefined],
  ["..5s", undefined],
  [Number.NaN, undefined],
];

describe("parseDurationMs", () => {
  for (const [value, wanted] of PARSED) {
    test(`reads ${JSON.stringify(value)}`, () => {
      expect(parseDurationMs(value)).toBe(wanted);
    });
  }
});

const WRITTEN: readonly (readonly [ms: number, long: string, short: string])[] = [
  [0, "0s", "0s"],
  [90_000, "1m30s", "1m30s"],
  [3_600_000, "1h0m0s", "1h"],
  [3_660_000, "1h1m0s", "1h1m"],
  [3_601_000, "1h0m1s", "1h0m1s"],
  [60_000, "1m0s", "1m"],
];

for (const [ms, long, short] of WRITTEN) {
  test(`${ms} ms is ${long}, in short ${short}`, () => {
    expect([formatDuration(ms), shortDuration(ms)]).toEqual([long, short]);
  });
}
