import { expect, test } from "bun:test";
import { Admission } from "./admission.ts";
import { Outbox } from "./outbox.ts";
import { RateLimit } from "./rate-limit.ts";

test("a rate lets its burst through, and then so many a second", () => {
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
  const admission = new Admission({ all: 4, perPod: 1, perUser: 2 });
  const pod = (name: string) => admission.enter({ kind: "pod", name });
  const user = (name: string) => admission.enter({ kind: "user", name });
  const leave = pod("a");
  expect([pod("a"), user("a"), user("a"), user("a"), pod("b")].map(Boolean)).toEqual([
    ...[false, true, true, false, true],
  ]);
  expect(pod("c")).toBeUndefined();
  leave?.();
  leave?.();
  expect(admission.admitted).toBe(3);
  expect(pod("a")).toBeDefined();
  expect(admission.refused).toBe(3);
});

test("an outbox gives what was put in, in order, and takes no more than it has room for", async () => {
  const outbox = new Outbox<number>(2);
  expect([1, 2, 3].map((message) => outbox.put(message))).toEqual([true, true, false]);
  const messages = outbox.messages();
  expect((await messages.next()).value).toBe(1);
  outbox.close();
  expect(outbox.put(4)).toBe(false);
  expect((await messages.next()).value).toBe(2);
  expect((await messages.next()).done).toBe(true);
});
