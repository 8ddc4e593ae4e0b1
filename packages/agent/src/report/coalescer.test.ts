import { expect, test } from "bun:test";
import { type AttemptKey, Coalescer } from "./coalescer.ts";

const key: AttemptKey = {
  ...{ actorPid: 7, actorStart: 5n, targetPid: 9, registration: 1n, kind: 2, detail: 0 },
};

test("the first twenty alike are told of at once, and the rest as a sum with the first of it", () => {
  const coalescer = new Coalescer<number>();
  const told = count(50, (index) => coalescer.admit(key, () => index));
  expect(told).toBe(20);
  expect(coalescer.takeRepetitions()).toEqual([{ event: 20, count: 30 }]);
});

test("what is told of and what is summed up is all that came, in any order of actors", () => {
  const coalescer = new Coalescer<number>();
  const told = count(10_000, (index) =>
    coalescer.admit({ ...key, actorPid: (index * 7919) % 13 }, () => index),
  );
  const summed = coalescer.takeRepetitions().reduce((sum, { count }) => sum + count, 0);
  expect(told + summed).toBe(10_000);
  expect(told).toBe(13 * 20);
});

test("the next interval begins anew", () => {
  const coalescer = new Coalescer<number>();
  count(50, (index) => coalescer.admit(key, () => index));
  coalescer.takeRepetitions();
  expect(coalescer.admit(key, () => 0)).toBe(true);
  expect(coalescer.takeRepetitions()).toEqual([]);
});

const differences: readonly Partial<AttemptKey>[] = [
  { actorPid: 8 },
  { actorStart: 6n },
  { targetPid: 10 },
  { registration: 2n },
  { kind: 3 },
  { detail: 1 },
];
for (const difference of differences) {
  test(`another ${Object.keys(difference)} is another attempt`, () => {
    const coalescer = new Coalescer<number>();
    count(25, (index) => coalescer.admit(key, () => index));
    expect(coalescer.admit({ ...key, ...difference }, () => 0)).toBe(true);
  });
}

test("of more kinds than it remembers every one is told of: its memory is bounded, and nothing is lost", () => {
  const coalescer = new Coalescer<number>();
  const told = count(20_000, (actorPid) => coalescer.admit({ ...key, actorPid }, () => 0));
  expect(told).toBe(20_000);
  expect(count(25, () => coalescer.admit({ ...key, actorPid: 19_999 }, () => 0))).toBe(25);
});

function count(times: number, isTold: (index: number) => boolean): number {
  return Array.from({ length: times }, (_, index) => isTold(index)).filter(Boolean).length;
}
