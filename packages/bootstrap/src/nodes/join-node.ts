import type { Progress } from "../progress.ts";
import { joinCluster } from "../store/join-cluster.ts";
import { findActive } from "./active-node.ts";
import { type AnsweringNode, isOpen, type LookAtNodes } from "./store-nodes.ts";

/** The inputs for a join. */
export interface Joining {
  readonly look: LookAtNodes;
  readonly progress: Progress;
  /** PEM certificates that a joining node verifies the leader with; its own trust if absent. */
  readonly caPem?: string | undefined;
}

/**
 * Makes a pod with a new disk join the cluster; false if there is no leader yet, or the storage has
 * no join.
 * @param isRepeated true if only success is to be reported
 */
export async function joinNode(
  { look, progress, caPem }: Joining,
  { admin, name, state }: AnsweringNode,
  isRepeated = false,
): Promise<boolean> {
  if (state.storageType !== "raft") return false;
  const leader = await findActive((await look()).filter(isOpen));
  if (leader === undefined) return false;
  const { address } = leader;
  const named = { step: "join", target: name } as const;
  const act = () => joinCluster(admin, { address, caPem });
  if (isRepeated) progress.end(named, await act());
  else await progress.step(named, act);
  return true;
}
