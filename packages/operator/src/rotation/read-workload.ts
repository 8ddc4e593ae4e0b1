import type { KubernetesApi } from "@svc/kubernetes";
import { BoundedCache } from "../image/bounded-cache.ts";
import { matchesLabels } from "../svc-config/matches-labels.ts";
import type { LabelSelector } from "../svc-config/svc-config.ts";
import { unlessStatus } from "../unless-status.ts";
import type { Budget } from "./decide-permit.ts";
import { countIn, field, listIn, textIn } from "./fields.ts";
import { controllerOf, type OwnerReference, type PodFacts, podFacts } from "./pod-facts.ts";
import {
  uncountedFacts,
  type WorkloadFacts,
  type WorkloadKind,
  workloadFacts,
} from "./workload-facts.ts";

/** The workload of a pod: the object whose pods are rotated one after the other. */
export interface WorkloadPlace {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Reads the facts for permits from the API server. @throws KubernetesError, all of them */
export interface WorkloadReader {
  /** Reads a pod; undefined if the API server knows no pod of the name. */
  readonly pod: (namespace: string, name: string) => Promise<PodFacts | undefined>;
  /** The workload of a pod; the pod itself if nothing controls it. */
  readonly workloadOf: (namespace: string, pod: PodFacts) => Promise<WorkloadPlace>;
  /** Undefined if it is gone, or a single pod. */
  readonly facts: (place: WorkloadPlace, pod: PodFacts) => Promise<WorkloadFacts | undefined>;
  /** The PodDisruptionBudgets that are about a pod. */
  readonly budgets: (namespace: string, pod: PodFacts) => Promise<readonly Budget[]>;
}

const APPS = "apps/v1";
const paths: Readonly<Record<WorkloadKind, string>> = {
  Deployment: "deployments",
  ReplicaSet: "replicasets",
  StatefulSet: "statefulsets",
  DaemonSet: "daemonsets",
};

/** A ReplicaSet keeps its owner: one request for each is enough. */
const OWNERS = { entries: 4096, bytes: 2 * 1024 * 1024 };
const OWNER_LIFE_MS = 3_600_000;
const OWNER_BYTES = 512;

/** Reads pods and workloads one by one: the operator keeps no list of them. */
export function workloadReader(api: Pick<KubernetesApi, "ask">, prefix: string): WorkloadReader {
  const owners = new BoundedCache<OwnerReference>(OWNERS);
  const read = (path: string, operation: string) =>
    unlessStatus([404], api.ask({ method: "GET", path, operation }));
  const ownerOf = async (namespace: string, set: OwnerReference): Promise<OwnerReference> => {
    const known = owners.get(set.uid);
    if (known !== undefined) return known;
    const path = pathOf({ ...set, namespace }, "ReplicaSet");
    const operation = `read ReplicaSet "${set.name}" in namespace "${namespace}"`;
    const above = controllerOf(await read(path, operation));
    // A controller of another group is not counted here, but its ReplicaSet is.
    const owner = above?.apiVersion === APPS && above.kind === "Deployment" ? above : set;
    owners.put(set.uid, owner, { bytes: OWNER_BYTES, lifeMs: OWNER_LIFE_MS });
    return owner;
  };
  return {
    pod: async (namespace, name) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
      const pod = await read(path, `read pod "${name}" in namespace "${namespace}"`);
      return pod === undefined ? undefined : podFacts(pod, prefix);
    },
    workloadOf: async (namespace, { owner, name, uid }) => {
      if (owner === undefined) return { apiVersion: "v1", kind: "Pod", namespace, name, uid };
      const isSet = owner.apiVersion === APPS && owner.kind === "ReplicaSet";
      const { apiVersion, kind, ...rest } = isSet ? await ownerOf(namespace, owner) : owner;
      return { apiVersion, kind, namespace, name: rest.name, uid: rest.uid };
    },
    facts: async (place, { maxUnavailable }) => {
      const kind = kindOf(place);
      if (kind === undefined)
        return place.kind === "Pod" ? undefined : uncountedFacts(maxUnavailable);
      const operation = `read ${kind} "${place.name}" in namespace "${place.namespace}"`;
      const object = await read(pathOf(place, kind), operation);
      return object === undefined ? undefined : workloadFacts(kind, object, maxUnavailable);
    },
    budgets: async (namespace, { labels }) => {
      const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
      const list = await read(path, `list PodDisruptionBudgets in namespace "${namespace}"`);
      return listIn(list, "items").flatMap((item) => {
        // The API server has checked it.
        const selector = field(item, "spec", "selector") as LabelSelector | null | undefined;
        if (selector === undefined || selector === null) return [];
        if (!matchesLabels(selector, labels)) return [];
        const name = textIn(item, "metadata", "name") ?? "";
        return [{ name, allowed: countIn(item, ["status", "disruptionsAllowed"], 0) }];
      });
    },
  };
}

function kindOf({ apiVersion, kind }: WorkloadPlace): WorkloadKind | undefined {
  return apiVersion === APPS && isKnown(kind) ? kind : undefined;
}

function isKnown(kind: string): kind is WorkloadKind {
  return Object.hasOwn(paths, kind);
}

function pathOf({ namespace, name }: { namespace: string; name: string }, kind: WorkloadKind) {
  return `/apis/${APPS}/namespaces/${namespace}/${paths[kind]}/${name}`;
}
