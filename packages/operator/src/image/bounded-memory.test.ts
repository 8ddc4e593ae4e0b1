import { describe, expect, test } from "bun:test";
import { BoundedCache } from "./bounded-cache.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

describe("a bounded cache", () => {
  const clock = { nowMs: 0 };
  const cacheOf = (entries: number, bytes: number) =>
    new BoundedCache<string>({ entries, bytes }, () => clock.nowMs);
  test("forgets the least recently used", () => {
    const cache = cacheOf(2, 1000);
    for (const key of ["a", "b"]) cache.put(key, key, { bytes: 1, lifeMs: 100 });
    cache.get("a");
    cache.put("c", "c", { bytes: 1, lifeMs: 100 });
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual(["a", undefined, "c"]);
  });
  test("keeps no more bytes than it may, however often a key is put again", () => {
    const cache = cacheOf(100, 50);
    for (let round = 0; round < 1000; round++) {
      cache.put(`${round % 7}`, "x", { bytes: 10 + (round % 30), lifeMs: 100 });
    }
    expect(cache.size).toBeWithin(1, 5);
    cache.put("large", "x", { bytes: 51, lifeMs: 100 });
    expect(cache.get("large")).toBeUndefined();
    for (const key of ["w", "x", "y", "z"]) cache.put(key, key, { bytes: 11, lifeMs: 100 });
    expect(cache.size).toBe(4);
  });
  test("forgets old entries", () => {
    const cache = cacheOf(2, 1000);
    cache.put("a", "a", { bytes: 1, lifeMs: 100 });
    clock.nowMs += 99;
    expect(cache.get("a")).toBe("a");
    clock.nowMs += 1;
    expect(cache.get("a")).toBeUndefined();
    expect(cache.size).toBe(0);
  });
});

describe("a circuit breaker", () => {
  const bounds = { failures: 2, openMs: 100, longestOpenMs: 1000, servers: 2 };
  test("opens after failures in a row, lets one through after a time, and closes when that is well", () => {
    const clock = { nowMs: 0 };
    const breaker = new CircuitBreaker(bounds, () => clock.nowMs);
    breaker.failed("a");
    expect(breaker.waitMs("a")).toBe(0);
    breaker.failed("a");
    expect(breaker.waitMs("a")).toBe(100);
    expect(breaker.waitMs("b")).toBe(0);
    clock.nowMs += 100;
    expect([breaker.waitMs("a"), breaker.waitMs("a")]).toEqual([0, 100]);
    breaker.failed("a");
    expect(breaker.waitMs("a")).toBe(100);
    breaker.succeeded("a");
    expect([breaker.waitMs("a"), breaker.waitMs("a")]).toEqual([0, 0]);
  });
  test("waits as long as it is asked to, within reason", () => {
    const breaker = new CircuitBreaker(bounds, () => 0);
    breaker.asked("a", 500);
    breaker.asked("b", 86_400_000);
    expect([breaker.waitMs("a"), breaker.waitMs("b")]).toEqual([500, 1000]);
  });
});
