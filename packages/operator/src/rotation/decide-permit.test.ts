import { describe, expect, test } from "bun:test";
import { decidePermit, type PermitFacts } from "./decide-permit.ts";
import type { Holder, SeenHolder } from "./holders.ts";
import type { PodFacts } from "./pod-facts.ts";
import { NOW_MS, podOf } from "./testdata/pods.ts";

const workload = { wanted: 6, available: 6, maxUnavailable: 1, deadlineMs: 600_000 };

function decide(change: Partial<PermitFacts> = {}) {
  return decidePermit({
    ...{ pod: podOf("a"), by: "program", workload, holders: [], budgets: [] },
    ...{ isOvertaken: false, nowMs: NOW_MS },
    ...change,
  });
}

/** A pod with a permit, whose rotation is under way unless it is changed. */
function held(name: string, pod: Partial<PodFacts> = {}, change: Partial<Holder> = {}): SeenHolder {
  const holder: Holder = {
    pod: name,
    uid: `uid-of-${name}`,
    by: "program",
    sinceMs: NOW_MS - 9000,
  };
  return { holder: { ...holder, ...change }, pod: podOf(name, pod) };
}

const away = { isReady: false };

describe("a pod may go", () => {
  test("if all pods are available, and it holds a permit then", () => {
    const mine = { pod: "a", uid: "uid-of-a", by: "program" as const, sinceMs: NOW_MS };
    expect(decide()).toEqual({ kind: "go", holders: [mine], failures: [] });
  });

  test("if it has a permit already, because the answer may be lost", () => {
    expect(decide({ holders: [held("a")] })).toMatchObject({ kind: "go" });
    expect(decide({ holders: [held("a")] }).holders).toHaveLength(1);
  });

  test("if it is not ready: no request reaches it", () => {
    const holders = [held("b", away)];
    const decision = decide({
      pod: podOf("a", away),
      workload: { ...workload, available: 4 },
      holders,
    });
    expect(decision).toMatchObject({ kind: "go" });
    expect(decision.holders).toHaveLength(2);
  });

  test("once the pod before it is ready again, whose permit is over", () => {
    const before = held("b", { readySinceMs: NOW_MS - 1000 }, { doneMs: NOW_MS - 5000 });
    const decision = decide({ holders: [before] });
    expect(decision.holders.map(({ pod }) => pod)).toEqual(["a"]);
  });

  test("beside others, up to the number that may be away", () => {
    const three = { ...workload, wanted: 30, available: 29, maxUnavailable: 3 };
    const holders = [held("b", away), held("c")];
    expect(decide({ workload: three, holders })).toMatchObject({ kind: "go" });
    const more = [...holders, held("d")];
    expect(decide({ workload: three, holders: more })).toMatchObject({ kind: "wait" });
  });
});

/** The reasons to wait, each with the facts that lead to it. */
const waits: readonly [string, Partial<PermitFacts>, string][] = [
  ["another pod has the permit, and is called ready still", { holders: [held("b")] }, "1 of 6"],
  ["the pod with the permit is away", { holders: [held("b", away)] }, "1 of 6"],
  [
    "the workload has not noticed yet that the pod with the permit is away",
    { holders: [held("b", away, { doneMs: NOW_MS })], workload: { ...workload, available: 6 } },
    "1 of 6",
  ],
  ["a pod is away for another reason", { workload: { ...workload, available: 5 } }, "1 of 6"],
  [
    "pods are away for both reasons",
    {
      workload: { ...workload, available: 4, maxUnavailable: 2 },
      holders: [held("b", away)],
    },
    "2 of 6",
  ],
  ["a budget allows nothing", { budgets: [{ name: "web", allowed: 0 }] }, "web allows no"],
  [
    "a budget allows one, which the pod with the permit will take",
    {
      budgets: [{ name: "web", allowed: 1 }],
      holders: [held("b")],
      workload: { ...workload, maxUnavailable: 3 },
    },
    "web allows no",
  ],
  ["another pod's secret expires sooner", { isOvertaken: true }, "expires sooner"],
];

test.each(waits)("a pod waits if %s", (_, change, reason) => {
  expect(decide(change)).toMatchObject({ kind: "wait", reason: expect.stringContaining(reason) });
});

test("a pod waits while another one was just evicted, before the workload knows it", () => {
  const gone = { ...held("b"), pod: undefined };
  expect(decide({ holders: [gone] })).toMatchObject({ kind: "wait" });
  const isSeen = { ...workload, available: 5 };
  expect(decide({ holders: [gone], workload: { ...isSeen, maxUnavailable: 2 } })).toMatchObject({
    kind: "go",
  });
});

test("a budget counts a pod once: one that is away was counted by its controller", () => {
  const holders = [held("b", away)];
  const wide = { ...workload, available: 5, maxUnavailable: 3 };
  const budgets = [{ name: "web", allowed: 1 }];
  expect(decide({ workload: wide, holders, budgets })).toMatchObject({ kind: "go" });
});

describe("a rotation that has failed", () => {
  const broken = held("b", { ...away, trouble: "CrashLoopBackOff" });
  const wide = { ...workload, maxUnavailable: 4, available: 5 };

  test("stops all others, and is told once", () => {
    const first = decide({ holders: [broken], workload: wide });
    expect(first).toMatchObject({ kind: "wait", reason: expect.stringContaining("has failed") });
    expect(first.failures).toEqual(["pod b: CrashLoopBackOff"]);
    const told = first.holders.map((holder): SeenHolder => ({ holder, pod: broken.pod }));
    expect(decide({ holders: told, workload: wide }).failures).toEqual([]);
  });

  test("stops nothing once its pod is ready, or gone", () => {
    const mended = held("b", { readySinceMs: NOW_MS - 1000 }, { doneMs: NOW_MS - 5000 });
    expect(decide({ holders: [mended] })).toMatchObject({ kind: "go" });
    const old = { ...broken.holder, sinceMs: NOW_MS - 10_000 };
    expect(decide({ holders: [{ holder: old, pod: undefined }] })).toMatchObject({ kind: "go" });
  });
});
