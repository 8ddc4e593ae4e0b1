import { expect, test } from "bun:test";
import { connectionsWithin, readsAtATime } from "./connections-within.ts";

const rows: readonly (readonly [limitBytes: number, connections: number])[] = [
  [0, 1],
  [65_535, 1],
  [65_536, 1],
  [131_072, 2],
  [8 << 20, 32],
  [Number.POSITIVE_INFINITY, 32],
];
for (const [limitBytes, connections] of rows) {
  test(`${limitBytes} bytes of locked memory hold ${connections} connections`, () => {
    expect(connectionsWithin(limitBytes)).toBe(connections);
  });
}

test("more reads than connections are sent if HTTP/2 may be spoken", () => {
  expect(readsAtATime("https://vault:8200", 8 << 20)).toBe(256);
  expect(readsAtATime("https://vault:8200", 1 << 20)).toBe(32);
  expect(readsAtATime("http://vault:8200", 8 << 20)).toBe(32);
});
