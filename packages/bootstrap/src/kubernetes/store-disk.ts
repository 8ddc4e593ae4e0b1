import type { CoreV1Api } from "@kubernetes/client-node";
import { kubernetesFailure, refusalOf } from "./kubernetes-failure.ts";

const NOT_FOUND = 404;
const CONFLICT = 409;

/** A persistent volume claim. */
export interface DiskClaim {
  readonly name: string;
  /** Another one if it was deleted and made again under its name. */
  readonly uid: string;
}

/** An object as it was seen: a later one of its name is another. */
export interface SeenObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Reads a claim; undefined if there is none.
 * @throws BootstrapError `KUBERNETES_*`
 */
export async function readClaim(
  api: CoreV1Api,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<DiskClaim | undefined> {
  try {
    const { metadata } = await api.readNamespacedPersistentVolumeClaim({ namespace, name });
    return { name, uid: metadata?.uid ?? "" };
  } catch (error) {
    if (refusalOf(error)?.status === NOT_FOUND) return undefined;
    throw kubernetesFailure(error, { operation: `read ${claimText(namespace, name)}` });
  }
}

/**
 * Deletes that claim and no later one of its name. It goes once no pod mounts it.
 * @throws BootstrapError `KUBERNETES_*`
 */
export function deleteClaim(api: CoreV1Api, { namespace, name, uid }: SeenObject): Promise<void> {
  const body = { preconditions: { uid } };
  return unlessGone(`delete ${claimText(namespace, name)}`, () =>
    api.deleteNamespacedPersistentVolumeClaim({ namespace, name, body }),
  );
}

/**
 * Deletes that pod and no later one of its name.
 * @throws BootstrapError `KUBERNETES_*`
 */
export function deletePod(api: CoreV1Api, { namespace, name, uid }: SeenObject): Promise<void> {
  const body = { preconditions: { uid } };
  return unlessGone(`delete pod "${name}" in namespace "${namespace}"`, () =>
    api.deleteNamespacedPod({ namespace, name, body }),
  );
}

/** The server says 409 if another object has the name. */
async function unlessGone(operation: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const status = refusalOf(error)?.status;
    if (status === NOT_FOUND || status === CONFLICT) return;
    throw kubernetesFailure(error, { operation });
  }
}

function claimText(namespace: string, name: string): string {
  return `persistent volume claim "${name}" in namespace "${namespace}"`;
}
