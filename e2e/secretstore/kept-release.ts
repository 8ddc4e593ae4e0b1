import { askKubernetes, callKubernetes, type KubernetesTarget } from "@svc/testing";
import { writePod } from "./store-pods.ts";
import type { StoreRelease } from "./store-release.ts";

const INTERVAL_MS = 50;

/** Does the work of a StatefulSet's controller, a kubelet and a provisioner. Disposing stops it. */
export interface StoreKeeper extends AsyncDisposable {
  /** How many pods were made again. */
  readonly replaced: () => number;
}

/**
 * Looks after the pods of a release: one that was deleted with its claim comes back as another pod,
 * with an empty disk.
 */
export function keepPods(kube: KubernetesTarget, release: StoreRelease): StoreKeeper {
  let replaced = 0;
  let isStopped = false;
  const keep = async () => {
    while (!isStopped) {
      for (const index of release.nodes.keys()) {
        if (!(await isGone(kube, podPath(release, index)))) continue;
        await replace(kube, release, index);
        replaced += 1;
      }
      await Bun.sleep(INTERVAL_MS);
    }
  };
  const kept = keep();
  return {
    replaced: () => replaced,
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      await kept;
    },
  };
}

async function replace(
  kube: KubernetesTarget,
  release: StoreRelease,
  index: number,
): Promise<void> {
  const path = claimPath(release, index);
  // A claim that is deleted stays as long as its pod is there.
  const { body } = await askKubernetes(kube, { method: "GET", path });
  const isDeleted = JSON.stringify(body?.["metadata"] ?? {}).includes("deletionTimestamp");
  if (!isDeleted) throw new TypeError("a pod was deleted and its disk was not");
  const contentType = "application/merge-patch+json";
  const patch = { metadata: { finalizers: null } };
  await callKubernetes(kube, { method: "PATCH", path, contentType, body: patch });
  await release.replace(index);
  await writePod(kube, release, { index });
}

async function isGone(kube: KubernetesTarget, path: string): Promise<boolean> {
  return (await askKubernetes(kube, { method: "GET", path })).status === 404;
}

type Place = Pick<StoreRelease, "namespace" | "releaseName">;

function podPath({ namespace, releaseName }: Place, index: number): string {
  return `/api/v1/namespaces/${namespace}/pods/${releaseName}-${index}`;
}

/** The path of the claim of a pod's data in the API. */
export function claimPath({ namespace, releaseName }: Place, index: number): string {
  return `/api/v1/namespaces/${namespace}/persistentvolumeclaims/data-${releaseName}-${index}`;
}
