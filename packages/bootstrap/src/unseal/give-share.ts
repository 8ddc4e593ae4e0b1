import { type NodeState, type Secret, VaultError } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { AnsweringNode } from "../nodes/store-nodes.ts";
import { askUntil } from "../store/ask-until.ts";

/** A node that has just joined asks the leader first. */
const PATIENCE = { deadlineMs: 30_000, intervalMs: 100 };

/**
 * Gives one key share to nodes, and gives the nodes as they are then. A share that is refused by
 * one is forgotten by all: it may have been the last one for one node and not yet for another,
 * which would keep it.
 *
 * @throws VaultError `SHARE_REFUSED` and others, once every node has answered
 * @throws BootstrapError `STILL_SEALED`
 */
export async function giveShare(
  nodes: readonly AnsweringNode[],
  share: Secret,
): Promise<readonly AnsweringNode[]> {
  const outcomes = await Promise.allSettled(nodes.map((node) => give(node, share)));
  const failed = outcomes.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected" && isRefusal(failed.reason)) {
    // Its refusal has to be reported.
    await Promise.allSettled(nodes.map(({ admin }) => admin.resetUnseal()));
  }
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

function isRefusal(error: unknown): boolean {
  return error instanceof VaultError && error.code === "SHARE_REFUSED";
}

async function give(node: AnsweringNode, share: Secret): Promise<AnsweringNode> {
  const given = await node.admin.unseal(share);
  // Only the last share needed takes the count back; one that was there already leaves it.
  const wasLast = given.sealed && given.progress === 0;
  const isUnsealed = ({ sealed }: NodeState) => !sealed;
  if (!wasLast) return { ...node, state: given };
  const state = await askUntil(() => node.admin.nodeState(), isUnsealed, PATIENCE);
  if (isUnsealed(state)) return { ...node, state };
  const found = `it is sealed ${PATIENCE.deadlineMs} ms after its last share`;
  throw new BootstrapError("STILL_SEALED", `unseal ${node.name}: ${found}`);
}
