import { applyObject, callKubernetes, type KubernetesTarget } from "@svc/testing";

/** Whose pods. */
export interface PodRelease {
  readonly namespace: string;
  readonly releaseName: string;
}

/** Writes a pod of a release as its StatefulSet would, and says that it runs, as a kubelet would. */
export async function writePod(
  kube: KubernetesTarget,
  { namespace, releaseName }: PodRelease,
  { index, phase = "Running" }: { readonly index: number; readonly phase?: string },
): Promise<void> {
  const metadata = { namespace, name: `${releaseName}-${index}` };
  const spec = { containers: [{ name: "store", image: "store" }] };
  await applyObject(kube, { apiVersion: "v1", kind: "Pod", metadata, spec });
  await callKubernetes(kube, {
    method: "PATCH",
    path: `/api/v1/namespaces/${namespace}/pods/${metadata.name}/status`,
    contentType: "application/merge-patch+json",
    body: { status: { phase } },
  });
}

/** Makes a namespace in which pods can be written. */
export async function makeNamespace(kube: KubernetesTarget, name: string): Promise<void> {
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  // What the controllers do in a whole cluster; a pod is refused without it.
  const metadata = { namespace: name, name: "default" };
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
}
