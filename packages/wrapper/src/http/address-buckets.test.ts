import { describe, expect, test } from "bun:test";
import { AddressBuckets } from "./address-buckets.ts";

const rate = { burst: 5, refillMs: 10_000 };

describe("AddressBuckets", () => {
  test("grants a burst at once, then one for each refill", () => {
    const { buckets, pass } = start();
    for (let tries = 0; tries < rate.burst; tries += 1) {
      expect(buckets.waitMs("a")).toBe(0);
      buckets.take("a");
    }
    expect(buckets.waitMs("a")).toBe(10_000);
    pass(4000);
    expect(buckets.waitMs("a")).toBe(6000);
    pass(6000);
    expect(buckets.waitMs("a")).toBe(0);
    buckets.take("a");
    expect(buckets.waitMs("a")).toBe(10_000);
  });

  test("takes nothing from one address for another one's requests", () => {
    const { buckets } = start();
    for (let tries = 0; tries < 100; tries += 1) buckets.take("a");
    expect([buckets.waitMs("a"), buckets.waitMs("b")]).toEqual([10_000, 0]);
  });

  test("does not save up more than the burst", () => {
    const { buckets, pass } = start();
    buckets.take("a");
    pass(rate.refillMs * 100);
    for (let tries = 0; tries < rate.burst; tries += 1) buckets.take("a");
    expect(buckets.waitMs("a")).toBe(10_000);
  });

  test("forgets the address that was idle for longest, of very many", () => {
    const { buckets } = start();
    for (let tries = 0; tries < rate.burst; tries += 1) buckets.take("first");
    for (let index = 0; index < 1023; index += 1) buckets.take(`other ${index}`);
    expect(buckets.waitMs("first")).toBe(10_000);
    buckets.take("one more");
    expect(buckets.waitMs("first")).toBe(0);
  });
});

function start() {
  let nowMs = 0;
  const buckets = new AddressBuckets(rate, () => nowMs);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { buckets, pass };
}
