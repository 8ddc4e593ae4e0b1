import { describe, expect, test } from "bun:test";
import { nextDelayMs } from "./backoff.ts";

const options = { deadlineMs: 60_000, baseDelayMs: 100, maxDelayMs: 1000, maxAttempts: 10 };

describe("nextDelayMs", () => {
  test.each([
    ["starts below the base delay", { attempt: 1, random: 0.5 }, 50],
    ["doubles its bound", { attempt: 3, random: 0.5 }, 200],
    ["stops growing at the maximum", { attempt: 9, random: 0.5 }, 500],
    ["may be nothing at all", { attempt: 3, random: 0 }, 0],
    ["stays before the deadline", { attempt: 9, random: 0.5, remainingMs: 400 }, 200],
    ["ends just before the deadline", { attempt: 1, remainingMs: 100 }, undefined],
    ["ends after the last attempt", { attempt: 10 }, undefined],
    ["waits as long as the server asks", { attempt: 9, random: 0, retryAfterMs: 7000 }, 7000],
    ["adds jitter to it", { attempt: 9, random: 0.5, retryAfterMs: 7000 }, 7050],
    ["gives up when asked to wait beyond the deadline", { retryAfterMs: 60_000 }, undefined],
  ])("%s", (_name, input, expected) => {
    const base = { options, attempt: 1, remainingMs: 60_000, retryAfterMs: undefined, random: 0.5 };
    expect(nextDelayMs({ ...base, ...input })).toBe(expected);
  });
});
