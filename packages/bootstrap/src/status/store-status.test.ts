import { expect, test } from "bun:test";
import { type NodeStatus, problemOfKeys, type SecretStatus } from "./store-status.ts";

const keys = (clusterId: string | undefined): SecretStatus => ({
  ...{ phase: "initialised", shares: 5, threshold: 3, rootToken: false, encryption: {} },
  ...{ clusterId, initialisedAt: "2026-11-27T00:00:00.000Z" },
});
const pod = (clusterId: string | undefined): NodeStatus => ({
  ...{ name: "store-0", state: "active", progress: 0, version: "2", storage: "raft" },
  clusterId,
});
const silent: NodeStatus = { name: "store-1", state: "silent", why: "no answer" };

test.each<
  [name: string, secret: SecretStatus, nodes: readonly NodeStatus[], problem: string | undefined]
>([
  ["keys of this cluster are fine", keys("a"), [silent, pod("a")], undefined],
  ["keys of another cluster are of no use", keys("a"), [pod("b")], "its keys are of cluster a"],
  ["pods that do not answer say nothing", keys("a"), [silent], undefined],
  ["sealed pods do not name their cluster", keys("a"), [pod(undefined)], undefined],
  ["keys without a cluster may fit", keys(undefined), [pod("b")], undefined],
  ["a Secret that was emptied is damaged", { phase: "foreign", why: "no keys" }, [], "no keys"],
  ["keys may be elsewhere", { phase: "absent" }, [pod("a")], undefined],
])("%s", (_, secret, nodes, problem) => {
  const found = problemOfKeys(secret, nodes);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
