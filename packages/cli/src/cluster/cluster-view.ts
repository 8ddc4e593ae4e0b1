import { type KubernetesApi, KubernetesError, listObjects } from "@svc/kubernetes";
import { type Collection, findCollection } from "./find-collection.ts";

/** Something of the cluster, or why it could not be looked at. */
export type Seen<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly found: string };

/** An object, as it came. */
export type Manifest = Readonly<Record<string, unknown>>;

/** What `svc explain` looks at. */
export interface ClusterView {
  /** Undefined if the cluster has no such kind; throws if it does not tell. */
  readonly collection: (kind: string) => Promise<Collection | undefined>;
  /** Undefined if it is not there; throws if it may not be read. */
  readonly object: (
    collection: Collection,
    namespace: string,
    name: string,
  ) => Promise<Manifest | undefined>;
  readonly namespaceLabels: (namespace: string) => Promise<Seen<Readonly<Record<string, string>>>>;
  readonly webhookConfigurations: () => Promise<Seen<readonly Manifest[]>>;
  readonly configs: (namespace: string) => Promise<Seen<readonly unknown[]>>;
  readonly deployments: (namespace: string) => Promise<Seen<readonly Manifest[]>>;
  readonly service: (namespace: string, name: string) => Promise<Seen<Manifest | undefined>>;
  /** Pods with the labels; all of them if there is no selector. */
  readonly pods: (namespace: string, selector: string) => Promise<Seen<readonly Manifest[]>>;
  /** Those of all namespaces. */
  readonly allPods: () => Promise<Seen<readonly Manifest[]>>;
  readonly nodes: () => Promise<Seen<readonly Manifest[]>>;
  /** Those of all namespaces that have the labels. */
  readonly daemonSets: (selector: string) => Promise<Seen<readonly Manifest[]>>;
  /**
   * The state of a wrapper, as GET /v1/check says it, through the API server's proxy. Undefined for
   * a wrapper that is older than this page.
   */
  readonly wrapperState: (
    namespace: string,
    proxied: string,
  ) => Promise<Seen<Manifest | undefined>>;
  /** The events of type Warning about a pod. */
  readonly podWarnings: (namespace: string, pod: string) => Promise<Seen<readonly Manifest[]>>;
  /** Pods that could not be made, the newest last. */
  readonly failedCreations: (namespace: string) => Promise<Seen<readonly Manifest[]>>;
}

/** A wrapper answers at once, or its pod is out of reach. */
const WRAPPER_TIMEOUT_MS = 3000;

const deployments = "/apis/apps/v1/namespaces/*/deployments";

/** The path of each kind's list, with a place for the namespace. */
const collections: Readonly<Record<string, string>> = {
  Pod: "/api/v1/namespaces/*/pods",
  PodTemplate: "/api/v1/namespaces/*/podtemplates",
  ReplicationController: "/api/v1/namespaces/*/replicationcontrollers",
  Deployment: deployments,
  ReplicaSet: "/apis/apps/v1/namespaces/*/replicasets",
  StatefulSet: "/apis/apps/v1/namespaces/*/statefulsets",
  DaemonSet: "/apis/apps/v1/namespaces/*/daemonsets",
  Job: "/apis/batch/v1/namespaces/*/jobs",
  CronJob: "/apis/batch/v1/namespaces/*/cronjobs",
};

/** Looks at a cluster through its API server. */
export function clusterView(api: KubernetesApi): ClusterView {
  const get = async (
    path: string,
    operation: string,
    limit: { readonly timeoutMs?: number } = {},
  ): Promise<Manifest | undefined> => {
    try {
      return Object(await api.ask({ method: "GET", path, operation, ...limit }));
    } catch (error) {
      if (error instanceof KubernetesError && error.status === 404) return undefined;
      throw error;
    }
  };
  const list = (path: string, operation: string, query: Readonly<Record<string, string>> = {}) =>
    seen(async () => (await listObjects(api, { path, operation, query })).items.map(asManifest));
  return {
    collection: async (kind) => {
      const path = Object.hasOwn(collections, kind) ? collections[kind] : undefined;
      return path === undefined ? findCollection(api, kind) : { kind, path };
    },
    object: ({ kind, path }, namespace, name) =>
      get(
        `${inNamespace(path, namespace)}/${encodeURIComponent(name)}`,
        `read ${kind} ${namespace}/${name}`,
      ),
    namespaceLabels: (namespace) =>
      seen(async () => {
        const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
        const object = await get(path, `read namespace ${namespace}`);
        return textsOf(Object(object?.["metadata"]).labels);
      }),
    webhookConfigurations: () =>
      list(
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        "list the webhook configurations",
      ),
    configs: (namespace) =>
      list(
        inNamespace("/apis/svc.internal/v1alpha1/namespaces/*/svcconfigs", namespace),
        `list the SvcConfigs of namespace ${namespace}`,
      ),
    deployments: (namespace) =>
      list(inNamespace(deployments, namespace), `list the deployments of namespace ${namespace}`),
    service: (namespace, name) =>
      seen(() =>
        get(
          `${inNamespace("/api/v1/namespaces/*/services", namespace)}/${encodeURIComponent(name)}`,
          `read service ${namespace}/${name}`,
        ),
      ),
    pods: (namespace, labelSelector) =>
      list(
        inNamespace(collections["Pod"] ?? "", namespace),
        `list the pods of namespace ${namespace}`,
        labelSelector === "" ? {} : { labelSelector },
      ),
    ...clusterWideView(list),
    ...eventsView({ get, list }),
  };
}

/** Lists of the whole cluster. */
function clusterWideView(
  list: Readers["list"],
): Pick<ClusterView, "allPods" | "nodes" | "daemonSets"> {
  return {
    allPods: () => list("/api/v1/pods", "list the pods of all namespaces"),
    nodes: () => list("/api/v1/nodes", "list the nodes"),
    daemonSets: (labelSelector) =>
      list("/apis/apps/v1/daemonsets", "list the DaemonSets", { labelSelector }),
  };
}

/** Parts of the view that tell how pods fare. */
type PodEvents = Pick<ClusterView, "wrapperState" | "podWarnings" | "failedCreations">;

interface Readers {
  readonly get: (
    path: string,
    operation: string,
    limit?: { readonly timeoutMs?: number },
  ) => Promise<Manifest | undefined>;
  readonly list: (
    path: string,
    operation: string,
    query?: Readonly<Record<string, string>>,
  ) => Promise<Seen<readonly Manifest[]>>;
}

function eventsView({ get, list }: Readers): PodEvents {
  return {
    wrapperState: (namespace, proxied) =>
      seen(() => {
        const pod = `${inNamespace(collections["Pod"] ?? "", namespace)}/${proxied}`;
        const operation = `ask the wrapper of pod ${namespace}/${proxied}`;
        return get(`${pod}/proxy/v1/check`, operation, { timeoutMs: WRAPPER_TIMEOUT_MS });
      }),
    podWarnings: (namespace, pod) =>
      list(inNamespace("/api/v1/namespaces/*/events", namespace), "list the events", {
        fieldSelector: `involvedObject.name=${pod},type=Warning`,
      }),
    failedCreations: (namespace) =>
      list(inNamespace("/api/v1/namespaces/*/events", namespace), "list the events", {
        fieldSelector: "reason=FailedCreate",
      }),
  };
}

function inNamespace(path: string, namespace: string): string {
  return path.replace("*", encodeURIComponent(namespace));
}

/** Does a look; a refusal of the API server is a part of the result. */
export async function seen<T>(look: () => Promise<T>): Promise<Seen<T>> {
  try {
    return { ok: true, value: await look() };
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    return { ok: false, found: error.message };
  }
}

function asManifest(value: unknown): Manifest {
  return Object(value);
}

/** The members of an object that are texts. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(Object(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
