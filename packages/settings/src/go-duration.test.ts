import { describe, expect, test } from "bun:test";
import { goDurationNs, plainDurationMs } from "./go-duration.ts";

describe("plainDurationMs", () => {
  const plain = ["0s", "1ms", "30s", "007m", "999999h", "250ms"];
  for (const text of plain) {
    test(`reads ${text} as the exact way does`, () => {
      expect(plainDurationMs(text)).toBe(Number(goDurationNs(text)) / 1e6);
    });
  }

  const others = ["", "0", "s", "ms", "1", "1000000s", "1.5s", "1h30m", "-1s", "+1s", "1us", "1 s"];
  for (const text of others) {
    test(`leaves "${text}" to the exact way`, () => {
      expect(plainDurationMs(text)).toBeUndefined();
    });
  }
});
