import { expect, test } from "bun:test";
import { workloadOf } from "./workload-of.ts";

const owned = (kind: string, name: string, labels = {}) => ({
  metadata: {
    ...{ name: "web-7d4b9c-x2x7p", labels },
    ownerReferences: [
      { kind: "Other", name: "no" },
      { kind, name, controller: true },
    ],
  },
});
const hashed = { "pod-template-hash": "7d4b9c" };

test.each([
  ["no owner", { metadata: { name: "lonely" } }, "pod/lonely"],
  ["a Deployment", owned("ReplicaSet", "web-7d4b9c", hashed), "deployment/web"],
  ["a ReplicaSet of no Deployment", owned("ReplicaSet", "web"), "replicaset/web"],
  ["a ReplicaSet with another name", owned("ReplicaSet", "web-1", hashed), "replicaset/web-1"],
  ["a StatefulSet", owned("StatefulSet", "db"), "statefulset/db"],
  ["a Job", owned("Job", "migrate"), "job/migrate"],
  ["a CronJob", owned("Job", "nightly-29012345"), "cronjob/nightly"],
  ["an extension's", owned("Rollout", "web"), "rollout/web"],
  ["one with control characters", owned("Job", "a\u001b[1m"), "job/a [1m"],
  ["one without a name", {}, "pod/undefined"],
])("a pod of %s", (_of, pod, workload) => {
  expect(workloadOf(pod)).toBe(workload);
});
