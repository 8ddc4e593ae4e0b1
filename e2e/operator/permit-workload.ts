import {
  applyObject,
  callKubernetes,
  createServiceAccountToken,
  type KubernetesObject,
  type KubernetesTarget,
} from "@svc/testing";

/** A workload whose controllers and kubelets are the test. */
export interface PermitWorkload {
  readonly pods: readonly WorkloadPod[];
  /** Writes the Deployment's status. */
  readonly setAvailable: (available: number) => Promise<void>;
}

/** A pod of it. */
export interface WorkloadPod {
  readonly name: string;
  /** Its token for permits. */
  readonly token: string;
  /** Writes the pod's status, as of now. */
  readonly setReady: (isReady: boolean, waiting?: string) => Promise<void>;
}

/** The size of a workload, and how many of its pods may be away. */
export interface WorkloadRequest {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly maxUnavailable: number | string;
}

/** Makes a Deployment, its ReplicaSet and its pods, all of them ready. */
export async function permitWorkload(
  kube: KubernetesTarget,
  wanted: WorkloadRequest,
): Promise<PermitWorkload> {
  const { namespace, name, replicas, maxUnavailable } = wanted;
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "app", image: "registry.test/app:1" }] },
  };
  const selector = { matchLabels: labels };
  const rollingUpdate = { maxUnavailable, maxSurge: 1 };
  const deployment = await made(kube, {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace, name, labels } },
    spec: { replicas, selector, template, strategy: { type: "RollingUpdate", rollingUpdate } },
  });
  const set = await made(kube, {
    ...{ apiVersion: "apps/v1", kind: "ReplicaSet" },
    metadata: { namespace, name, labels, ownerReferences: [ownerOf(deployment)] },
    spec: { replicas, selector, template },
  });
  const setAvailable = async (available: number) => {
    const status = { replicas, readyReplicas: available, availableReplicas: available };
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/status`;
    await patch(kube, path, { status });
  };
  const pods = await Promise.all(
    Array.from({ length: replicas }, (_, index) => {
      const metadata = { namespace, name: `${name}-${index}`, labels };
      return workloadPod(kube, { ...metadata, ownerReferences: [ownerOf(set)] }, template.spec);
    }),
  );
  await setAvailable(replicas);
  return { pods, setAvailable };
}

async function workloadPod(
  kube: KubernetesTarget,
  metadata: KubernetesObject["metadata"] & { readonly namespace: string },
  spec: object,
): Promise<WorkloadPod> {
  const { namespace, name } = metadata;
  const pod = await made(kube, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const uid = String(pod.metadata["uid"]);
  const token = await createServiceAccountToken(kube, namespace, "default", {
    audiences: ["svc-rotation-permits"],
    boundObjectRef: { kind: "Pod", apiVersion: "v1", name, uid },
  });
  const setReady = async (isReady: boolean, waiting?: string) => {
    const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const status = isReady ? "True" : "False";
    const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
    const state = waiting === undefined ? running : { waiting: { reason: waiting } };
    const container = { name: "app", ready: isReady, restartCount: 0, image: "a", imageID: "a" };
    await patch(kube, `/api/v1/namespaces/${namespace}/pods/${name}/status`, {
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status, lastTransitionTime: now }],
        containerStatuses: [{ ...container, state }],
      },
    });
  };
  await setReady(true);
  return { name, token, setReady };
}

/** Makes an object, and gives it as the API server has it. */
async function made(kube: KubernetesTarget, object: KubernetesObject): Promise<KubernetesObject> {
  // The API server answers with the object.
  return { ...object, ...((await applyObject(kube, object)) as KubernetesObject) };
}

function ownerOf({ apiVersion, kind, metadata: { name, uid } }: KubernetesObject): object {
  return { apiVersion, kind, name, uid, controller: true };
}

async function patch(kube: KubernetesTarget, path: string, body: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  await callKubernetes(kube, { method: "PATCH", path, body, contentType });
}
