import { type VaultAdministration, VaultError } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import { askUntil } from "../store/ask-until.ts";
import type { SeenNode } from "./store-nodes.ts";

/** A store elects a leader within seconds of its unsealing. */
const PATIENCE = { deadlineMs: 30_000, intervalMs: 100 };

/**
 * The node that serves writes, and reads without delay: a standby may answer with older data.
 * @throws BootstrapError `PODS_NOT_READY`
 */
export async function activeNode(nodes: readonly SeenNode[]): Promise<VaultAdministration> {
  if (nodes.length === 0) {
    throw new BootstrapError("PODS_NOT_READY", "find the store's active node: no pod is unsealed");
  }
  const found = await askUntil(
    () => findActive(nodes),
    (it) => it !== undefined,
    PATIENCE,
  );
  if (found !== undefined) return found;
  const names = nodes.map(({ name }) => name).join(", ");
  const message = `find the store's active node: ${names}: none is it after ${PATIENCE.deadlineMs} ms`;
  throw new BootstrapError("PODS_NOT_READY", message);
}

/** The active one of some nodes as they are now; undefined if none is. */
export async function findActive(
  nodes: readonly SeenNode[],
): Promise<VaultAdministration | undefined> {
  for (const { admin } of nodes) {
    if ((await admin.health().catch(unlessUnknown)) === "active") return admin;
  }
  return undefined;
}

/** It has answered a moment ago, and is asked again. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof VaultError)) throw error;
}
