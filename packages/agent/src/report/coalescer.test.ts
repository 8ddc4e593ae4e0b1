import { expect, test } from "bun:test";
import { type AttemptKey, Coalescer } from "./coalescer.ts";

const key: AttemptKey = {
  ...{
    actorPid: 7,
    actorStart: 5n,
    actorCgroup: 3n,
    actorInode: 4n,
    targetPid: 9,
    registration: 1n,
    kind: 2,
    detail: 0,
    policy: 0,
    decision: 1,
  },
};

test("the first twenty alike are reported at once, and the rest as a sum with the first of it", () => {
  const coalescer = new Coalescer<number>();
  const told = count(50, (index) => coalescer.admit(key, () => index));
  expect(told).toBe(20);
  expect(coalescer.takeRepetitions()).toEqual([{ event: 20, count: 30 }]);
});

test("reported and summed-up events are all events, in any order of actors", () => {
  const coalescer = new Coalescer<number>();
  const told = count(10_000, (index) =>
    coalescer.admit({ ...key, actorPid: (index * 7919) % 4 }, () => index),
  );
  const summed = coalescer.takeRepetitions().reduce((sum, { count }) => sum + count, 0);
  expect(told + summed).toBe(10_000);
  expect(told).toBe(4 * 20);
});

test("of a flood of processes that attempt once each a hundred are reported, and the rest as a sum", () => {
  const coalescer = new Coalescer<number>();
  const flood = (index: number) => ({ ...key, actorPid: index, targetPid: index });
  expect(count(5000, (index) => coalescer.admit(flood(index), () => index))).toBe(100);
  expect(coalescer.takeRepetitions()).toEqual([{ event: 100, count: 4900 }]);
});

const ofOthers: readonly Partial<AttemptKey>[] = [
  { actorCgroup: 30n },
  { actorInode: 40n },
  { registration: 2n },
  { kind: 3 },
];
for (const difference of ofOthers) {
  test(`a flood does not hide who comes with another ${Object.keys(difference)}`, () => {
    const coalescer = new Coalescer<number>();
    count(5000, (actorPid) => coalescer.admit({ ...key, actorPid }, () => 0));
    expect(coalescer.admit({ ...key, ...difference, actorPid: 5000 }, () => 0)).toBe(true);
  });
}

test("the next interval starts again", () => {
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
  { decision: 2 },
];
for (const difference of differences) {
  test(`another ${Object.keys(difference)} is another attempt`, () => {
    const coalescer = new Coalescer<number>();
    count(25, (index) => coalescer.admit(key, () => index));
    expect(coalescer.admit({ ...key, ...difference }, () => 0)).toBe(true);
  });
}

test("of more kinds than it remembers every one is reported: its memory is bounded, and nothing is lost", () => {
  const coalescer = new Coalescer<number>();
  const nth = (index: number) => ({ ...key, registration: BigInt(index) });
  expect(count(20_000, (index) => coalescer.admit(nth(index), () => 0))).toBe(20_000);
  expect(count(25, () => coalescer.admit(nth(19_999), () => 0))).toBe(25);
});

function count(times: number, isTold: (index: number) => boolean): number {
  return Array.from({ length: times }, (_, index) => isTold(index)).filter(Boolean).length;
}
