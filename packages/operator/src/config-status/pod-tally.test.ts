import { describe, expect, test } from "bun:test";
import { type PodTally, podTally } from "./pod-tally.ts";

const podOf = (uid: string, config: string | undefined) => ({
  metadata: {
    uid,
    annotations:
      config === undefined
        ? {}
        : { "svc.internal/injected": JSON.stringify({ containers: [], volumes: {}, config }) },
  },
});
const one = podOf("1", "shop/web");
const two = podOf("2", "shop/web");
const other = podOf("3", "bank/api");

type Step = (tally: PodTally) => void;
const list =
  (...pods: readonly object[]): Step =>
  (tally) => {
    tally.begin();
    for (const pod of pods) tally.add([pod]);
    tally.end();
  };
const event =
  (type: string, pod: object): Step =>
  (tally) => {
    expect(tally.apply(type, pod)).toBe(true);
  };

const cases: Readonly<Record<string, readonly [steps: readonly Step[], counts: object]>> = {
  "after a list of pages": [[list(one, two, other)], { "shop/web": 2, "bank/api": 1 }],
  "with one more": [[list(one), event("ADDED", two)], { "shop/web": 2 }],
  "with one twice, which counts once": [
    [list(one), event("ADDED", one), event("MODIFIED", one)],
    { "shop/web": 1 },
  ],
  "with one fewer": [[list(one, two), event("DELETED", one)], { "shop/web": 1 }],
  "with one that was never there": [[list(one), event("DELETED", other)], { "shop/web": 1 }],
  "with one that has another SvcConfig now": [
    [list(one, two), event("MODIFIED", podOf("1", "bank/api"))],
    { "shop/web": 1, "bank/api": 1 },
  ],
  "without those that have none": [
    [list(one, podOf("2", undefined)), event("MODIFIED", podOf("1", undefined))],
    { "shop/web": 0 },
  ],
  "after another list, which has only present objects": [
    [list(one, two), list(other)],
    { "shop/web": 0, "bank/api": 1 },
  ],
  "while another list is on its way, as before": [
    [
      list(one, two),
      (tally) => {
        tally.begin();
        tally.add([other]);
      },
    ],
    { "shop/web": 2, "bank/api": 0 },
  ],
};

describe("pods are counted", () => {
  for (const [name, [steps, counts]] of Object.entries(cases)) {
    test(name, () => {
      const tally = podTally("svc.internal");
      for (const step of steps) step(tally);
      expect(Object.fromEntries(tally.counts())).toEqual({ ...counts });
    });
  }
});
