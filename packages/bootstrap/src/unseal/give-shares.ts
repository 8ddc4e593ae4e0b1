import type { Secret, VaultTls } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import { type Joining, joinNode } from "../nodes/join-node.ts";
import { describeNode } from "../nodes/open-nodes.ts";
import { requireAll } from "../nodes/require-all.ts";
import { type AnsweringNode, answers, isOpen, storeNodes } from "../nodes/store-nodes.ts";
import type { UnsealSettings } from "../settings.ts";
import { askUntil } from "../store/ask-until.ts";
import type { InitTools } from "../tools/init-tools.ts";
import { giveShare } from "./give-share.ts";

/** How far the sealed pods are. */
export interface Unsealing {
  /** The progress of the pod that lacks most shares. */
  readonly progress: number;
  readonly threshold: number;
  /** The names of the pods that are sealed. */
  readonly sealed: readonly string[];
}

/** Takes the next share from its source; undefined if there are no more. */
export type NextShare = (unsealing: Unsealing) => Promise<Secret | undefined>;

/** A store elects a leader within seconds of its unsealing. */
const PATIENCE = { deadlineMs: 30_000, intervalMs: 100 };

/**
 * Gives a holder's key shares to every sealed pod, until all are unsealed or there are no more. The
 * shares that others have given before count: holders who do not trust each other give theirs one
 * after the other.
 *
 * @returns how far it is; all are unsealed if `sealed` is empty
 * @throws VaultError `SHARE_REFUSED`: the server judges shares only together, and every pod has
 * forgotten all of them
 * @throws BootstrapError `PODS_NOT_READY` if no initialised pod answers; `PODS_LEFT` if pods
 * are out of reach
 */
export async function giveShares(
  { store }: UnsealSettings,
  tls: VaultTls,
  tools: Pick<InitTools, "cluster" | "administer" | "progress"> & { readonly next: NextShare },
): Promise<Unsealing> {
  const { cluster, administer, progress, next } = tools;
  const look = storeNodes(cluster, store, administer);
  const joining = { look, progress, caPem: tls.ca?.join("\n") };
  const given: Secret[] = [];
  let sealed = await sealedNodes(await look(), tools);
  for (;;) {
    if (sealed.length === 0) sealed = await joinOthers(joining, given);
    if (sealed.length === 0) break;
    const share = await next(unsealingOf(sealed));
    if (share === undefined) break;
    given.push(share);
    sealed = await giveAll(sealed, [share], tools);
  }
  if (sealed.length === 0) {
    const left = (await look()).filter((node) => !isOpen(node));
    requireAll({ open: [], left: left.map(describeNode) });
  }
  return unsealingOf(sealed);
}

type Reporting = Pick<InitTools, "progress">;

async function sealedNodes(
  nodes: Awaited<ReturnType<Joining["look"]>>,
  { progress }: Reporting,
): Promise<readonly AnsweringNode[]> {
  const initialised = nodes.filter(answers).filter(({ state }) => state.initialized);
  if (initialised.length === 0) {
    const found = "no initialised pod answers";
    throw new BootstrapError("PODS_NOT_READY", `unseal the store's pods: ${found}`);
  }
  for (const { name } of initialised.filter(isOpen)) {
    progress.end({ step: "unseal", target: name }, { outcome: "unchanged" });
  }
  return initialised.filter((node) => !isOpen(node));
}

/** Pods with new disks, now that there is a leader; they get the same shares, too. */
async function joinOthers(
  joining: Joining,
  given: readonly Secret[],
): Promise<readonly AnsweringNode[]> {
  const outside = (await joining.look()).filter(answers).filter(isOutside);
  const joined: AnsweringNode[] = [];
  for (const node of outside) {
    joining.progress.waiting(describeNode(node));
    // There is no leader for some seconds after the last share.
    if (await askUntil(() => joinNode(joining, node), Boolean, PATIENCE)) {
      joined.push({ ...node, state: await node.admin.nodeState() });
    }
  }
  return giveAll(joined, given, joining);
}

function isOutside({ state }: AnsweringNode): boolean {
  return !state.initialized && state.storageType === "raft";
}

/** Gives shares to nodes; those that are still sealed come back. */
async function giveAll(
  nodes: readonly AnsweringNode[],
  shares: readonly Secret[],
  { progress }: Reporting,
): Promise<readonly AnsweringNode[]> {
  let sealed = nodes;
  for (const share of shares) {
    const after = await giveShare(sealed, share);
    if (after.length > 0 && after.every((node, place) => isUnmoved(node, sealed[place]))) {
      progress.warn("a key share was given that had been given before: it counts once");
    }
    for (const { name } of after.filter(isOpen)) {
      progress.end({ step: "unseal", target: name }, { outcome: "updated" });
    }
    sealed = after.filter((node) => !isOpen(node));
  }
  return sealed;
}

/** With a threshold of 1 every share is the last one. */
function isUnmoved({ state }: AnsweringNode, before: AnsweringNode | undefined): boolean {
  return state.sealed && state.threshold > 1 && state.progress === before?.state.progress;
}

function unsealingOf(sealed: readonly AnsweringNode[]): Unsealing {
  const states = sealed.map(({ state }) => state);
  return {
    progress: states.reduce((least, { progress }) => Math.min(least, progress), 255),
    threshold: states.reduce((most, { threshold }) => Math.max(most, threshold), 0),
    sealed: sealed.map(({ name }) => name),
  };
}
