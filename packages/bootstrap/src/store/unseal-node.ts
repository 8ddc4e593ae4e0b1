import type { NodeState, Secret, VaultAdministration } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepOutcome } from "../step.ts";
import { askUntil } from "./ask-until.ts";

/**
 * A node that has just joined opens some moments after its last share: it asks the leader first.
 */
const PATIENCE = { deadlineMs: 30_000, intervalMs: 100 };

/**
 * Unseals one node with as many of the shares as it needs, in the order in which they are given.
 *
 * Shares of an earlier attempt do not count: one wrong among them would spoil ours. Another run
 * that does the same at the same time may take ours away in between, so it is tried again.
 *
 * @param deadlineMs how long the node may take once it has its shares; by default 30,000
 * @throws VaultError `SHARE_REFUSED`, `NOT_INITIALIZED` if the node has not joined, and others
 * @throws BootstrapError `SHARES_INSUFFICIENT`, `STILL_SEALED`
 */
export async function unsealNode(
  node: VaultAdministration,
  shares: readonly Secret[],
  deadlineMs = PATIENCE.deadlineMs,
): Promise<StepOutcome> {
  const before = await node.nodeState();
  if (before.initialized && !before.sealed) return { step: "unseal", outcome: "unchanged" };
  const given = await giveAll(node, shares, before);
  const isOpen = ({ sealed }: NodeState) => !sealed;
  const patience = { ...PATIENCE, deadlineMs };
  const after = isOpen(given.state)
    ? given.state
    : await askUntil(() => node.nodeState(), isOpen, patience);
  if (isOpen(after)) return { step: "unseal", outcome: "updated" };
  const found = `it is sealed ${deadlineMs} ms after its last share`;
  throw new BootstrapError("STILL_SEALED", `unseal ${node.address}: ${found}`);
}

/** Times that another run may come in between. */
const ATTEMPTS = 3;

async function giveAll(
  node: VaultAdministration,
  shares: readonly Secret[],
  before: NodeState,
): Promise<Given> {
  let state = before;
  for (let attempt = 1; ; attempt++) {
    const start = state.progress > 0 ? await node.resetUnseal() : state;
    const given = await giveShares(node, start, shares);
    if (!given.state.sealed || given.complete) return given;
    if (shares.length < start.threshold || attempt === ATTEMPTS) {
      throw await insufficient(node, given.state);
    }
    state = await node.nodeState();
    if (!state.sealed) return { state, complete: true };
  }
}

interface Given {
  readonly state: NodeState;
  /** True once the node has had as many different shares as it needs. */
  readonly complete: boolean;
}

async function giveShares(
  node: VaultAdministration,
  start: NodeState,
  shares: readonly Secret[],
): Promise<Given> {
  let state = start;
  for (const share of shares) {
    state = await node.unseal(share);
    // Only the last share needed takes the count back; one that was there already leaves it.
    if (!state.sealed || state.progress === 0) return { state, complete: true };
  }
  return { state, complete: false };
}

/** Leaves no share of ours behind for another attempt. */
async function insufficient(
  node: VaultAdministration,
  { progress, threshold }: NodeState,
): Promise<BootstrapError> {
  await node.resetUnseal();
  const found = `${progress} of the ${threshold} shares that it needs were given`;
  return new BootstrapError("SHARES_INSUFFICIENT", `unseal ${node.address}: ${found}`);
}
