import { describe, expect, test } from "bun:test";
import { hintText, parseHint } from "./version-hints.ts";

const MAC = "0123456789abcdef".repeat(4);

describe("a hint", () => {
  test.each([
    { sequence: 0, news: "fresh", validMs: 75_000 },
    { sequence: 1_795_917_003_123, news: "changed", validMs: 0 },
  ] as const)("of %p is read as it was written", (hint) => {
    expect(parseHint(`${hintText(hint)} ${MAC}`)).toEqual({ hint, mac: MAC });
  });

  test.each([
    "",
    hintText({ sequence: 1, news: "fresh", validMs: 1 }),
    `2 1 fresh 1 ${MAC}`,
    `1 1 stale 1 ${MAC}`,
    `1 -1 fresh 1 ${MAC}`,
    `1 1 fresh 1.5 ${MAC}`,
    `1 1 fresh 1 ${MAC.toUpperCase()}`,
    `1 1 fresh 1 ${MAC}0`,
    `1 1234567890123456 fresh 1 ${MAC}`,
    ` 1 1 fresh 1 ${MAC}`,
  ])("is not %p", (value) => {
    expect(parseHint(value)).toBeUndefined();
  });
});
