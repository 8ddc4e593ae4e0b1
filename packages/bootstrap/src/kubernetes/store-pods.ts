import type { CoreV1Api } from "@kubernetes/client-node";
import { kubernetesFailure } from "./kubernetes-failure.ts";

/** A pod of the store's StatefulSet. */
export interface StorePod {
  /** The number at the end of its name. */
  readonly index: number;
  /** `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; empty where the server says none. */
  readonly phase: string;
}

/** Whose pods. */
export interface Release {
  readonly namespace: string;
  readonly releaseName: string;
}

const PAGE = 500;

/**
 * The pods that are named as the release's StatefulSet names them, by number; those that are being deleted,
 * and those that something else owns, are left out.
 * @throws BootstrapError `KUBERNETES_*`
 */
export async function storePods(api: CoreV1Api, release: Release): Promise<readonly StorePod[]> {
  const { namespace, releaseName } = release;
  const pods: StorePod[] = [];
  let next: string | undefined;
  do {
    const page = await listPage(api, namespace, next);
    for (const { metadata, status } of page.items) {
      const index = indexOf(metadata?.name ?? "", releaseName);
      if (index === undefined || metadata?.deletionTimestamp !== undefined) continue;
      if (!isOfStatefulSet(metadata?.ownerReferences ?? [])) continue;
      pods.push({ index, phase: status?.phase ?? "" });
    }
    next = page.metadata?._continue;
  } while (next !== undefined && next !== "");
  return pods.toSorted((a, b) => a.index - b.index);
}

async function listPage(api: CoreV1Api, namespace: string, next: string | undefined) {
  try {
    const from = next === undefined ? {} : { _continue: next };
    return await api.listNamespacedPod({ namespace, limit: PAGE, ...from });
  } catch (error) {
    throw kubernetesFailure(error, { operation: `list the pods in namespace "${namespace}"` });
  }
}

/** A Job's pod may have such a name by chance. Of a pod without an owner nothing else is known. */
function isOfStatefulSet(owners: readonly { readonly kind: string }[]): boolean {
  return owners.length === 0 || owners.some(({ kind }) => kind === "StatefulSet");
}

function indexOf(podName: string, releaseName: string): number | undefined {
  if (!podName.startsWith(`${releaseName}-`)) return undefined;
  const rest = podName.slice(releaseName.length + 1);
  return /^(?:0|[1-9]\d{0,4})$/.test(rest) ? Number(rest) : undefined;
}
