import type { Secret } from "@svc/vault";
import type { BootstrapError } from "../bootstrap-error.ts";
import { unsealNode } from "../store/unseal-node.ts";
import type { Waiting } from "./await-standing.ts";
import { type Joining, joinNode } from "./join-node.ts";
import { type AnsweringNode, answers, isOpen, type SeenNode } from "./store-nodes.ts";

/** What a store's pods are opened with. */
export interface Opening extends Waiting, Joining {
  /** As many as it takes; where this process has none, what to say about it. */
  readonly shares: readonly Secret[] | BootstrapError;
}

/** The pods after all of them were opened, or the time was up. */
export interface OpenedStore {
  /** Those that are unsealed. */
  readonly open: readonly AnsweringNode[];
  /** What is wrong with the others, a text each. */
  readonly left: readonly string[];
}

const INTERVAL_MS = 500;

/**
 * Has every pod of an initialised store join its cluster and unseals it: those that belong to it first, because
 * the others need a leader. Pods that are not there yet are waited for.
 *
 * @throws VaultError and BootstrapError as `joinCluster` and `unsealNode`, and what `shares` is
 */
export async function openNodes(opening: Opening): Promise<OpenedStore> {
  const done = new Set<string>();
  for (;;) {
    const nodes = await opening.look();
    for (const node of inOrder(nodes)) await open(opening, node, done);
    const after = await opening.look();
    const left = after.filter((node) => !isOpen(node));
    const complete = after.length > 0 && left.length === 0;
    if (complete || performance.now() >= opening.until) {
      return { open: after.filter(isOpen), left: left.map(describeNode) };
    }
    opening.progress.waiting(left.map(describeNode).join("; "));
    await Bun.sleep(INTERVAL_MS);
  }
}

/** Those of the store before those that are to join it. */
function inOrder(nodes: readonly SeenNode[]): readonly AnsweringNode[] {
  return nodes
    .filter(answers)
    .toSorted((a, b) => Number(b.state.initialized) - Number(a.state.initialized));
}

async function open(opening: Opening, node: AnsweringNode, done: Set<string>): Promise<void> {
  const { progress, shares } = opening;
  const target = node.name;
  if (isOpen(node)) {
    if (!done.has(target)) progress.end({ step: "unseal", target }, { outcome: "unchanged" });
    done.add(target);
    return;
  }
  if (!node.state.initialized && !(await joinNode(opening, node))) return;
  if (shares instanceof Error) throw shares;
  await progress.step({ step: "unseal", target }, () => unsealNode(node.admin, shares));
  done.add(target);
}

/** What is wrong with a pod that is not unsealed. */
export function describeNode({ name, state }: SeenNode): string {
  if ("silent" in state) return `${name} ${state.silent}`;
  return `${name} is ${state.initialized ? "sealed" : "in no cluster"}`;
}
