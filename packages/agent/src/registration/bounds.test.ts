import { describe, expect, test } from "bun:test";
import { Admission, admissionLimits, hasRoom, limitsWithin } from "./admission.ts";
import { Outbox } from "./outbox.ts";
import { RateLimit } from "./rate-limit.ts";

test("a rate lets its burst through, and then its number a second", () => {
  let nowMs = 0;
  const rate = new RateLimit({ burst: 3, perSecond: 2 }, () => nowMs);
  const taken = (count: number) => Array.from({ length: count }, () => rate.take());
  expect(taken(4)).toEqual([true, true, true, false]);
  nowMs = 499;
  expect(taken(1)).toEqual([false]);
  nowMs = 1000;
  expect(taken(4)).toEqual([true, true, false, false]);
  nowMs = 1_000_000;
  expect(taken(4)).toEqual([true, true, true, false]);
});

test("one pod or user takes its places, and no others", () => {
  const admission = new Admission({ ...admissionLimits, all: 4, perPod: 1, perUser: 2 });
  const pod = (name: string) => admission.enter({ kind: "pod", name });
  const user = (name: string) => admission.enter({ kind: "user", name });
  const leave = pod("a");
  expect([pod("a"), user("a"), user("a"), user("a"), pod("b")].map(Boolean)).toEqual([
    ...[false, true, true, false, true],
  ]);
  expect(pod("c")).toBeUndefined();
  leave?.leave();
  leave?.leave();
  expect(admission.admitted).toBe(3);
  expect(pod("a")).toBeDefined();
  expect(admission.refused).toBe(3);
});

describe("another connection has room", () => {
  const limits = {
    ...{ all: 100, perPod: 8, perUser: 16, perStranger: 2, strangers: 4 },
    ...{ silentPerPod: 4, silentPerUser: 6 },
  };
  const rows = [
    ["of a pod", "pod", { all: 7, silent: 3 }, { all: 99, strangers: 4 }, true],
    ["of a pod that has all of its places", "pod", { all: 8, silent: 0 }, {}, false],
    ["of a pod that only connects", "pod", { all: 4, silent: 4 }, {}, false],
    ["of a user", "user", { all: 15, silent: 5 }, { strangers: 4 }, true],
    ["of a user who has all of its places", "user", { all: 16, silent: 0 }, {}, false],
    ["of a user who only connects", "user", { all: 6, silent: 6 }, {}, false],
    ["of a stranger", "stranger", { all: 1, silent: 1 }, { strangers: 3 }, true],
    ["of a stranger who has been answered", "stranger", { all: 2, silent: 0 }, {}, false],
    ["of one more stranger", "stranger", { all: 0, silent: 0 }, { strangers: 4 }, false],
    ["if everything is taken", "user", { all: 0, silent: 0 }, { all: 100 }, false],
  ] as const;
  for (const [name, kind, group, counts, expected] of rows) {
    test(`${name}: ${expected}`, () => {
      expect(hasRoom(kind, group, { all: 0, strangers: 0, ...counts }, limits)).toBe(expected);
    });
  }
});

test("a connection is silent until it has said Hello, and counts until it leaves", () => {
  const admission = new Admission({ ...admissionLimits, silentPerUser: 1 });
  const enter = () => admission.enter({ kind: "user", name: "1" });
  const first = enter();
  expect(enter()).toBeUndefined();
  first?.greeted();
  first?.greeted();
  const second = enter();
  expect(enter()).toBeUndefined();
  second?.leave();
  expect(enter()).toBeDefined();
  expect(admission.admitted).toBe(2);
});

test("strangers have few places together, which each gives back", () => {
  const admission = new Admission({ ...admissionLimits, perStranger: 2, strangers: 3 });
  const enter = (name: string) => admission.enter({ kind: "stranger", name });
  const [first] = [enter("1"), enter("1"), enter("2")];
  expect([enter("1"), enter("3")]).toEqual([undefined, undefined]);
  expect(admission.enter({ kind: "user", name: "1" })).toBeDefined();
  first?.leave();
  expect(enter("3")).toBeDefined();
  expect(enter("1")).toBeUndefined();
});

test("an empty group has all of its places again, another one those that are free", () => {
  const admission = new Admission({ ...admissionLimits, perPod: 2 });
  const enter = () => admission.enter({ kind: "pod", name: "a" });
  const [first, second] = [enter(), enter()];
  first?.leave();
  expect([enter(), enter()].map(Boolean)).toEqual([true, false]);
  second?.leave();
  expect([enter(), enter()].map(Boolean)).toEqual([true, false]);
});

test("an outbox returns its messages in order, and accepts no more than it has room for", async () => {
  const outbox = new Outbox<number>(2);
  expect([1, 2, 3].map((message) => outbox.put(message))).toEqual([true, true, false]);
  const messages = outbox.messages();
  expect((await messages.next()).value).toBe(1);
  outbox.close();
  expect(outbox.put(4)).toBe(false);
  expect((await messages.next()).value).toBe(2);
  expect((await messages.next()).done).toBe(true);
});

describe("connections leave the agent descriptors, if it may have", () => {
  for (const [descriptors, all] of [
    [64, 1],
    [1024, 256],
    [4096, 1280],
    [524_288, admissionLimits.all],
  ] as const) {
    test(`${descriptors}: ${all} connections`, () =>
      expect(limitsWithin(descriptors)).toEqual({ ...admissionLimits, all }));
  }
});
