import { type NodeState, type VaultAdministration, VaultError } from "@svc/vault";
import type { StorePod } from "../kubernetes/choose-pods.ts";
import type { KubernetesCluster } from "../kubernetes/connect-kubernetes.ts";
import { podAddress } from "../pod-address.ts";
import { retryUnreachable } from "../secret/retry-unreachable.ts";
import type { StatusSettings } from "../settings.ts";

/** A pod of the store and its own state. */
export interface SeenNode {
  /** The pod's name, for example `store-0`. */
  readonly name: string;
  readonly pod: StorePod;
  readonly admin: VaultAdministration;
  /** Its state, or why there is none. */
  readonly state: NodeState | Silence;
}

/** A pod that has not answered. */
export interface Silence {
  /** As it reads behind the pod's name. */
  readonly silent: string;
  /** The result of a request to it. */
  readonly failure?: VaultError;
}

/** Looks at all pods of a store at once. */
export type LookAtNodes = () => Promise<readonly SeenNode[]>;

/**
 * Makes the administration of the node at an address.
 * @param deadlineMs how long one operation is tried again; by default the client's own time
 */
export type Administer = (address: string, deadlineMs?: number) => VaultAdministration;

/** A failing pod is asked again later, so it does not delay the others for long. */
const ONE_POD_MS = 5000;

const PATIENCE = { deadlineMs: 30_000, intervalMs: 250 };

/** Makes the function that looks at a store's pods. It rejects with `KUBERNETES_*`. */
export function storeNodes(
  cluster: KubernetesCluster,
  store: StatusSettings["store"],
  administer: Administer,
): LookAtNodes {
  return async () => {
    const pods = await retryUnreachable(() => cluster.storePods(store), PATIENCE);
    return Promise.all(
      pods.map(async (pod): Promise<SeenNode> => {
        const { name, phase } = pod;
        const admin = administer(podAddress(store.address, pod.host), ONE_POD_MS);
        const state = phase === "Running" ? await stateOf(admin) : { silent: `is ${phase}` };
        return { name, pod, admin, state };
      }),
    );
  };
}

/**
 * Makes the function that says why no pod of the store was found. It rejects with `KUBERNETES_*`.
 */
export function whyNoNodes(
  cluster: KubernetesCluster,
  store: StatusSettings["store"],
): () => Promise<string> {
  return () => retryUnreachable(() => cluster.describeNoPods(store), PATIENCE);
}

async function stateOf(admin: VaultAdministration): Promise<SeenNode["state"]> {
  try {
    return await admin.nodeState();
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return { silent: `does not answer: ${error.message}`, failure: error };
  }
}

/** A node that has answered. */
export type AnsweringNode = SeenNode & { readonly state: NodeState };

/** True if the node has answered. */
export function answers(node: SeenNode): node is AnsweringNode {
  return !("silent" in node.state);
}

/** A node that has answered that it is unsealed. */
export type OpenNode = SeenNode & {
  readonly state: NodeState & { readonly initialized: true; readonly sealed: false };
};

/** True if the node is unsealed. */
export function isOpen(node: SeenNode): node is OpenNode {
  return answers(node) && node.state.initialized && !node.state.sealed;
}
