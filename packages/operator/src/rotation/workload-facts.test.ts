import { expect, test } from "bun:test";
import { uncountedFacts, type WorkloadKind, workloadFacts } from "./workload-facts.ts";

const deployment = (replicas: number, strategy: object, status: object = {}) => ({
  spec: { replicas, strategy },
  status,
});
const rolling = (maxUnavailable: unknown) => ({
  type: "RollingUpdate",
  rollingUpdate: { maxUnavailable, maxSurge: 1 },
});

/** The kind, the object, the annotation, and how many pods may be away at once. */
const rows: readonly [string, WorkloadKind, object, string | undefined, number][] = [
  ["a percentage, rounded down", "Deployment", deployment(6, rolling("25%")), undefined, 1],
  ["a percentage of many", "Deployment", deployment(30, rolling("25%")), undefined, 7],
  ["a number", "Deployment", deployment(30, rolling(3)), undefined, 3],
  ["none, which would be never", "Deployment", deployment(6, rolling(0)), undefined, 1],
  ["a strategy that ends all", "Deployment", deployment(6, { type: "Recreate" }), undefined, 1],
  ["a malformed share", "Deployment", deployment(6, rolling("many")), undefined, 1],
  ["the annotation first", "Deployment", deployment(6, rolling("25%")), "50%", 3],
  ["a malformed annotation", "Deployment", deployment(8, rolling("25%")), "-1", 2],
  ["a StatefulSet without one", "StatefulSet", { spec: { replicas: 5 } }, undefined, 1],
  [
    "a StatefulSet with one",
    "StatefulSet",
    { spec: { replicas: 5, updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } },
    undefined,
    2,
  ],
  [
    "a DaemonSet",
    "DaemonSet",
    {
      spec: { updateStrategy: { rollingUpdate: { maxUnavailable: "10%" } } },
      status: { desiredNumberScheduled: 40 },
    },
    undefined,
    4,
  ],
  ["a ReplicaSet of another controller", "ReplicaSet", { spec: { replicas: 9 } }, undefined, 1],
];

test.each(rows)(
  "as many pods may be away as its strategy says: %s",
  (_, kind, object, own, most) => {
    expect(workloadFacts(kind, object, own).maxUnavailable).toBe(most);
  },
);

test("the numbers of a Deployment are those of its spec and status", () => {
  const object = {
    spec: { replicas: 6, progressDeadlineSeconds: 60 },
    status: { replicas: 8, readyReplicas: 6, availableReplicas: 5 },
  };
  const facts = workloadFacts("Deployment", object, undefined);
  expect(facts).toMatchObject({ wanted: 6, available: 5, deadlineMs: 60_000 });
});

test("a workload without a status has no available pod", () => {
  expect(workloadFacts("Deployment", {}, undefined)).toMatchObject({ wanted: 1, available: 0 });
  expect(workloadFacts("DaemonSet", null, undefined)).toMatchObject({ wanted: 0, available: 0 });
});

test.each([
  [undefined, 1],
  ["3", 3],
  ["50%", 1],
])("pods of an unknown controller go one after the other: %p", (asked, most) => {
  expect(uncountedFacts(asked).maxUnavailable).toBe(most);
});
