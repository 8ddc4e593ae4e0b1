import { type Secret, VaultError } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import { unsealNode } from "../store/unseal-node.ts";
import { findActive } from "./active-node.ts";
import type { Waiting } from "./await-standing.ts";
import { type Joining, joinNode } from "./join-node.ts";
import { type AnsweringNode, answers, isOpen, type SeenNode } from "./store-nodes.ts";

/** The inputs for unsealing a store's pods. */
export interface Opening extends Waiting, Joining {
  /** The key shares that unseal the store, or the message if this process has no share. */
  readonly shares: readonly Secret[] | BootstrapError;
  /** The names of the pods that were opened or found open, for a further call. */
  readonly done?: Set<string>;
}

/** The pods after all of them were opened, or the time was up. */
export interface OpenedStore {
  /** Those that are unsealed. */
  readonly open: readonly AnsweringNode[];
  /** The problems of the others, a text each. */
  readonly left: readonly string[];
}

const INTERVAL_MS = 500;

/**
 * Has every pod of an initialised store join its cluster and unseals it: those that belong to it
 * first, because the others need a leader. Pods that are not there yet are waited for, and one that
 * fails keeps no other closed.
 *
 * @param wanted `active`: only as many pods of the store as it takes for one to be active; none
 *   joins
 * @throws VaultError `SHARE_REFUSED`, and BootstrapError `SHARES_INSUFFICIENT` and the errors of
 *   `shares`
 */
export async function openNodes(
  opening: Opening,
  wanted: "all" | "active" = "all",
): Promise<OpenedStore> {
  const { look, until, progress } = opening;
  const work: Work = { ...opening, done: opening.done ?? new Set(), failures: new Map() };
  const isEnough = async (nodes: readonly SeenNode[]) =>
    wanted === "active" && (await findActive(nodes.filter(isOpen))) !== undefined;
  for (;;) {
    const nodes = await look();
    if (await isEnough(nodes)) return { open: nodes.filter(isOpen), left: [] };
    for (const node of wanted === "all" ? inOrder(nodes) : firstClosed(nodes)) {
      await open(work, node);
    }
    const after = await look();
    const left = after.filter((node) => !isOpen(node)).map((node) => described(work, node));
    const complete = (after.length > 0 && left.length === 0) || (await isEnough(after));
    if (complete || performance.now() >= until) return { open: after.filter(isOpen), left };
    progress.waiting(left.join("; "));
    await Bun.sleep(INTERVAL_MS);
  }
}

interface Work extends Opening {
  /** The names of the pods that were opened or found open. */
  readonly done: Set<string>;
  /** The last problem, by the pod's name. */
  readonly failures: Map<string, string>;
}

/** The first pod that belongs to the store and is not open, if there is one. */
function firstClosed(nodes: readonly SeenNode[]): readonly AnsweringNode[] {
  return inOrder(nodes)
    .filter((node) => node.state.initialized && !isOpen(node))
    .slice(0, 1);
}

/** Those of the store before those that are to join it. */
function inOrder(nodes: readonly SeenNode[]): readonly AnsweringNode[] {
  return nodes
    .filter(answers)
    .toSorted((a, b) => Number(b.state.initialized) - Number(a.state.initialized));
}

async function open(work: Work, node: AnsweringNode): Promise<void> {
  const { name } = node;
  if (isOpen(node)) {
    if (!work.done.has(name)) {
      work.progress.end({ step: "unseal", target: name }, { outcome: "unchanged" });
    }
    work.done.add(name);
    return;
  }
  try {
    await joinAndUnseal(work, node);
    work.failures.delete(name);
  } catch (error) {
    if (!isOfOnePod(error)) throw error;
    work.failures.set(name, error.message);
  }
}

async function joinAndUnseal(work: Work, node: AnsweringNode): Promise<void> {
  const { progress, shares, done, failures } = work;
  const isRepeated = failures.has(node.name);
  if (!node.state.initialized && !(await joinNode(work, node, isRepeated))) return;
  if (shares instanceof Error) throw shares;
  const named = { step: "unseal", target: node.name } as const;
  const unseal = () => unsealNode(node.admin, shares);
  // A repeated try fails silently, except for the first time.
  if (isRepeated) progress.end(named, await unseal());
  else await progress.step(named, unseal);
  done.add(node.name);
}

/** Errors after which other pods may still be opened, and this one later. */
function isOfOnePod(error: unknown): error is VaultError | BootstrapError {
  if (error instanceof VaultError) return error.code !== "SHARE_REFUSED";
  return error instanceof BootstrapError && ["STILL_SEALED", "STILL_ALONE"].includes(error.code);
}

function described({ failures }: Work, node: SeenNode): string {
  const failure = failures.get(node.name);
  return failure === undefined ? describeNode(node) : `${describeNode(node)}: ${failure}`;
}

/** The problem of a pod that is not unsealed. */
export function describeNode({ name, state }: SeenNode): string {
  if ("silent" in state) return `${name} ${state.silent}`;
  return `${name} is ${state.initialized ? "sealed" : "in no cluster"}`;
}
