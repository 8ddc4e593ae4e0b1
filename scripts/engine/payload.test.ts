import { describe, expect, test } from "bun:test";
import { agreed } from "./payload.ts";

describe("agreed", () => {
  const rows: readonly (readonly [name: string, made: string, taken: string | undefined])[] = [
    ["takes an image that three attempts make", "aaa", "a"],
    ["passes over one that differs by chance", "abaa", "a"],
    ["passes over a first one that differs", "baaa", "a"],
    ["passes over several that differ", "bacadaa", "a"],
    ["refuses images that depend on their surroundings", "abababababab", undefined],
    ["refuses images that always differ", "abcdefghijkl", undefined],
  ];
  for (const [name, made, taken] of rows) {
    test(name, () => {
      const take = () => agreed((attempt) => Buffer.from(made[attempt] ?? "")).toString();
      if (taken === undefined) expect(take).toThrow("make an image: two differ at byte 0");
      else expect(take()).toBe(taken);
    });
  }
});
