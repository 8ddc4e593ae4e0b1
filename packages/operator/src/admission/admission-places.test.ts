import { expect, test } from "bun:test";
import { admissionPlaces } from "./admission-places.ts";

test("waiting requests get a place in turn, and none waits beyond the limit", async () => {
  const places = admissionPlaces({ inFlight: 1, waiting: 2, waitMs: 10_000 });
  const got: string[] = [];
  expect(await places.enter()).toBe(true);
  const first = places.enter().then(() => got.push("first"));
  const second = places.enter().then(() => got.push("second"));
  expect(await places.enter()).toBe(false);
  places.giveBack();
  await first;
  expect(got).toEqual(["first"]);
  places.giveBack();
  await second;
  expect(places.taken()).toBe(1);
  places.giveBack();
  expect(places.taken()).toBe(0);
});

test("a request that waited long enough is sent away, and the place is not lost", async () => {
  const places = admissionPlaces({ inFlight: 1, waiting: 2, waitMs: 5 });
  expect(await places.enter()).toBe(true);
  expect(await places.enter()).toBe(false);
  places.giveBack();
  expect(places.taken()).toBe(0);
  expect(await places.enter()).toBe(true);
});
