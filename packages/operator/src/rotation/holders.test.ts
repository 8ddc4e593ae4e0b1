import { describe, expect, test } from "bun:test";
import { failureOf, type Holder, holdersText, isSettled, parseHolders } from "./holders.ts";
import type { PodFacts } from "./pod-facts.ts";
import { NOW_MS, podOf } from "./testdata/pods.ts";

const holder: Holder = { pod: "a", uid: "uid-of-a", by: "program", sinceMs: NOW_MS - 60_000 };
const done: Holder = { ...holder, doneMs: NOW_MS - 20_000 };

/** The holder, its pod, and whether the next pod may go. */
const rows: readonly [string, Holder, PodFacts | undefined, boolean][] = [
  ["the pod is gone", holder, undefined, true],
  ["the pod is another one of that name", holder, podOf("a", { uid: "new" }), true],
  ["the pod ends", holder, podOf("a", { isOver: true, isReady: false }), true],
  ["the pod is just gone", { ...holder, sinceMs: NOW_MS - 9000 }, undefined, false],
  ["it has not begun to rotate", holder, podOf("a"), false],
  ["it is not ready", done, podOf("a", { isReady: false }), false],
  ["it became ready after its rotation", done, podOf("a", { readySinceMs: NOW_MS - 1000 }), true],
  [
    "it became ready in the second of its end",
    done,
    podOf("a", { readySinceMs: NOW_MS - 20_999 }),
    true,
  ],
  ["it is called ready still, and the probe may yet fail", done, podOf("a"), false],
  [
    "it has stayed ready for longer than a probe takes",
    done,
    podOf("a", { probeMs: 19_000 }),
    true,
  ],
  [
    "its wrapper was started again, and it is ready since",
    holder,
    podOf("a", { startedMs: NOW_MS - 30_000, readySinceMs: NOW_MS - 5000 }),
    true,
  ],
  [
    "its wrapper says nothing for a quarter of an hour",
    { ...holder, sinceMs: NOW_MS - 1_000_000 },
    podOf("a"),
    true,
  ],
];

test.each(rows)("the next pod may go, or not, if %s", (_, held, pod, isOver) => {
  expect(isSettled({ holder: held, pod }, NOW_MS)).toBe(isOver);
});

describe("a rotation has failed", () => {
  const deadline = { nowMs: NOW_MS, deadlineMs: 600_000 };
  const away = { isReady: false };

  test("if its pod is not ready when the workload's deadline is over", () => {
    const late = { ...done, sinceMs: NOW_MS - 600_000 };
    expect(failureOf({ holder: late, pod: podOf("a", away) }, deadline)).toContain("600 s");
    expect(failureOf({ holder: done, pod: podOf("a", away) }, deadline)).toBeUndefined();
  });

  test("if its container cannot be started", () => {
    const pod = podOf("a", { ...away, trouble: "CrashLoopBackOff" });
    expect(failureOf({ holder: done, pod }, deadline)).toBe("pod a: CrashLoopBackOff");
  });

  test("and not if the pod is ready, ends, or is gone", () => {
    const late = { ...done, sinceMs: NOW_MS - 700_000 };
    for (const pod of [podOf("a"), podOf("a", { ...away, isOver: true }), undefined]) {
      expect(failureOf({ holder: late, pod }, deadline)).toBeUndefined();
    }
  });
});

describe("the record", () => {
  test("is read as it was written", () => {
    const holders: readonly Holder[] = [holder, { ...done, pod: "b", by: "pod", told: true }];
    expect(parseHolders(holdersText(holders))).toEqual([...holders]);
  });

  test.each([
    ["nothing", undefined],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["a holder without a pod", '{"holders":[{"uid":"u","sinceMs":1}]}'],
    ["a holder without a time", '{"holders":[{"pod":"p","uid":"u"}]}'],
  ])("that holds %s has no holder", (_, text) => {
    expect(parseHolders(text)).toEqual([]);
  });
});
