import { expect, test } from "bun:test";
import { bodyRoom } from "./body-room.ts";

const LARGE = 1_000_000;

test("large bodies have room as far as it goes, and again once one is done with", () => {
  const room = bodyRoom(2 * LARGE);
  expect([room.take(LARGE), room.take(LARGE), room.take(LARGE)]).toEqual([true, true, false]);
  room.giveBack(LARGE);
  expect([room.take(LARGE), room.take(LARGE)]).toEqual([true, false]);
});

test("small ones always do, and take none from the others", () => {
  const room = bodyRoom(LARGE);
  for (let count = 0; count < 1000; count += 1) expect(room.take(20_000)).toBe(true);
  expect(room.take(LARGE)).toBe(true);
  expect(room.take(20_000)).toBe(true);
  for (let count = 0; count < 1000; count += 1) room.giveBack(20_000);
  expect(room.take(LARGE)).toBe(false);
});
