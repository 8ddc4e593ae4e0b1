import { describe, expect, test } from "bun:test";
import { BURST, REFILL_MS, TryLimit } from "./try-limit.ts";

describe("TryLimit", () => {
  test("grants five failed tries at once, then one each ten seconds", () => {
    const { limit, pass } = startLimit();
    for (let tries = 0; tries < BURST; tries += 1) {
      expect(limit.waitMs()).toBe(0);
      limit.failed();
    }
    expect([BURST, limit.waitMs()]).toEqual([5, 10_000]);
    pass(4000);
    expect(limit.waitMs()).toBe(6000);
    pass(6000);
    expect(limit.waitMs()).toBe(0);
    limit.failed();
    expect(limit.waitMs()).toBe(10_000);
  });

  test("does not save up more than five", () => {
    const { limit, pass } = startLimit();
    pass(REFILL_MS * 100);
    for (let tries = 0; tries < BURST; tries += 1) limit.failed();
    expect(limit.waitMs()).toBe(10_000);
  });

  test("costs nothing where no try fails", () => {
    const { limit } = startLimit();
    for (let asks = 0; asks < 100; asks += 1) expect(limit.waitMs()).toBe(0);
  });

  test("is never in debt", () => {
    const { limit } = startLimit();
    for (let tries = 0; tries < 100; tries += 1) limit.failed();
    expect(limit.waitMs()).toBe(10_000);
  });
});

function startLimit() {
  let nowMs = 0;
  const limit = new TryLimit(() => nowMs);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { limit, pass };
}
