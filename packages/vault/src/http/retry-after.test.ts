import { describe, expect, test } from "bun:test";
import { parseRetryAfter } from "./retry-after.ts";

describe("parseRetryAfter", () => {
  const nowMs = Date.parse("2026-11-21T00:00:00Z");
  test.each([
    ["2", 2000],
    [" 0 ", 0],
    ["Sat, 21 Nov 2026 00:00:05 GMT", 5000],
    ["Saturday, 21-Nov-26 00:00:05 GMT", 5000],
    ["Fri, 20 Nov 2026 00:00:00 GMT", 0],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("of %p is %p", (header, expected) => {
    expect(parseRetryAfter(header, nowMs)).toBe(expected);
  });
});
