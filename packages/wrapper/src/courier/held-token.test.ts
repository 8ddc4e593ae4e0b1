import { expect, test } from "bun:test";
import { lifeFromNow } from "./held-token.ts";

const told = { ttlMs: 40_000, renewable: true, own: false, toldAtMs: 1000 };
const rows = [
  ["at once", told, 1000, 40_000],
  ["after a slow reading", told, 11_000, 30_000],
  ["after its end", told, 50_000, 1],
  ["for ever", { ...told, ttlMs: 0 }, 50_000, 0],
] as const;
for (const [what, life, nowMs, ttlMs] of rows) {
  test(`a token lives ${ttlMs} ms from now on, as ${what}`, () => {
    expect(lifeFromNow(life, nowMs)).toEqual({ ttlMs, renewable: true, own: false });
  });
}
