import type { NodeState, RaftLeader, VaultAdministration } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepOutcome } from "../step.ts";
import { askUntil } from "./ask-until.ts";

const PATIENCE = { deadlineMs: 30_000, intervalMs: 100 };

/**
 * Makes a node with Raft storage join the cluster of a leader that is unsealed. A node that belongs
 * to a cluster is left alone. If it is the wrong one, its `clusterId` says so once it
 * is unsealed.
 *
 * @throws VaultError `SERVER_ERROR` if the leader cannot be reached or is sealed
 * @throws BootstrapError `STILL_ALONE`
 */
export async function joinCluster(
  node: VaultAdministration,
  leader: RaftLeader,
): Promise<StepOutcome> {
  const belongs = ({ initialized }: NodeState) => initialized;
  if (belongs(await node.nodeState())) return { step: "join", outcome: "unchanged" };
  await node.joinRaft(leader);
  const state = await askUntil(() => node.nodeState(), belongs, PATIENCE);
  if (belongs(state)) return { step: "join", outcome: "created" };
  const found = `it is not in it after ${PATIENCE.deadlineMs} ms`;
  throw new BootstrapError("STILL_ALONE", `join ${node.address} to ${leader.address}: ${found}`);
}
