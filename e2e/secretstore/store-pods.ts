import { applyObject, callKubernetes, type KubernetesTarget } from "@svc/testing";

/** The release that the pods belong to. */
export interface PodRelease {
  readonly namespace: string;
  readonly releaseName: string;
}

/** A pod of a release, with its labels and status. */
export interface WrittenPod {
  readonly index: number;
  /** By default `Running`. */
  readonly phase?: string;
  /** How often its container was started again; by default 0. */
  readonly restarts?: number;
}

/**
 * Writes a pod of a release as its StatefulSet would, with its claim, and says that it runs, as a
 * kubelet would.
 */
export async function writePod(
  kube: KubernetesTarget,
  { namespace, releaseName }: PodRelease,
  { index, phase = "Running", restarts = 0 }: WrittenPod,
): Promise<void> {
  const name = `${releaseName}-${index}`;
  const claimName = `data-${name}`;
  await applyObject(kube, {
    ...{
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { namespace, name: claimName },
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const labels = { "app.kubernetes.io/instance": releaseName, component: "server" };
  const spec = {
    ...{ hostname: name, subdomain: `${releaseName}-internal` },
    containers: [{ name: "store", image: "store" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  };
  const metadata = { namespace, name, labels };
  await applyObject(kube, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const started = {
    ...{ name: "store", image: "store", imageID: "store", ready: true },
    ...{ containerID: `containerd://${name}-${restarts}`, restartCount: restarts },
  };
  await callKubernetes(kube, {
    method: "PATCH",
    path: `/api/v1/namespaces/${namespace}/pods/${name}/status`,
    contentType: "application/merge-patch+json",
    body: { status: { phase, containerStatuses: phase === "Running" ? [started] : null } },
  });
}

/** Makes a namespace in which pods can be written. */
export async function makeNamespace(kube: KubernetesTarget, name: string): Promise<void> {
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  // The controllers do this in a whole cluster. Without it the API server refuses a pod.
  const metadata = { namespace: name, name: "default" };
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
}
