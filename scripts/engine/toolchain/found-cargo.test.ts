import { describe, expect, test } from "bun:test";
import { isNewEnough } from "./found-cargo.ts";

describe("a cargo is new enough", () => {
  const rows: readonly (readonly [said: string, wanted: string, enough: boolean])[] = [
    ["cargo 1.88.0 (873a06493 2025-05-10)", "1.88", true],
    ["cargo 1.96.0", "1.88", true],
    ["cargo 2.0.0", "1.88", true],
    ["cargo 1.87.0", "1.88", false],
    ["cargo 1.9.0", "1.88", false],
    ["cargo 1.100.0", "1.88", true],
    ["error: no default toolchain", "1.88", false],
    ["", "1.88", false],
  ];
  for (const [said, wanted, enough] of rows) {
    test(`${said || "nothing"} for ${wanted}: ${enough}`, () => {
      expect(isNewEnough(said, wanted)).toBe(enough);
    });
  }
});
