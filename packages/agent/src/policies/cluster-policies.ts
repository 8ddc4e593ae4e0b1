import type { KubernetesApi, ObjectWatch } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import type { PolicyObjects } from "./follow-policies.ts";
import type { FoundPod, FoundPods, NamespacePods } from "./found-pods.ts";
import type { PolicyObject } from "./parse-policy-objects.ts";
import { policyPath } from "./policy-definition.ts";

type WatchObjects = typeof import("@svc/kubernetes").watchObjects;

/** The parts that policies of a cluster are followed with. */
export interface ClusterPoliciesParts {
  readonly api: KubernetesApi;
  readonly watchObjects: WatchObjects;
  /** The node's name, as pods have it in `spec.nodeName`. */
  readonly node: string;
  /** Called after a change. */
  readonly onChange: () => void;
  readonly log: Log;
}

/** How the agent stands with the API server. */
export interface ClusterReport {
  /** False until the SvcPolicies have been listed once. */
  readonly listed: boolean;
  /** Seconds since the API server was last heard; it sends something every minute. */
  readonly heardSecondsAgo?: number;
  /** Why the last list or watch failed; absent after one that did not. */
  readonly failure?: string;
}

/** The SvcPolicies of a cluster, and pods of this node. */
export interface ClusterPolicies {
  readonly readObjects: () => PolicyObjects;
  /** Watches the pods of these namespaces from now on, and no others. */
  readonly readPods: (namespaces: ReadonlySet<string>) => FoundPods;
  readonly report: () => ClusterReport;
  readonly stop: () => Promise<void>;
}

/** A SvcPolicy has some kilobytes. */
const PAGE = 100;

/**
 * Follows them. While the API server is away, the last state stays. It asks for the metadata of
 * pods alone.
 */
export function followCluster(parts: ClusterPoliciesParts): ClusterPolicies {
  const { api, watchObjects, node, onChange } = parts;
  let failure: string | undefined;
  const policies = watchObjects<PolicyObject>(api, {
    path: policyPath,
    operation: "watch SvcPolicies",
    page: PAGE,
    parse: policyObject,
    onChange: () => {
      failure = undefined;
      onChange();
    },
    onFailure: (error) => {
      const reason = messageOf(error);
      if (reason !== failure) parts.log("warn", "SvcPolicies cannot be followed", { reason });
      failure = reason;
    },
  });
  const pods = new Map<string, PodWatch>();
  const stopPods = (isLeft: (namespace: string) => boolean): readonly Promise<void>[] =>
    [...pods].flatMap(([namespace, watch]) => {
      if (!isLeft(namespace)) return [];
      pods.delete(namespace);
      return [watch.stop()];
    });
  return {
    readObjects: () =>
      policies.isSynced()
        ? { kind: "objects", objects: sorted(policies.all()) }
        : { kind: "unknown" },
    readPods: (namespaces) => {
      void stopPods((namespace) => !namespaces.has(namespace));
      for (const namespace of namespaces) {
        if (!pods.has(namespace)) pods.set(namespace, watchPods(namespace, { ...parts, node }));
      }
      return new Map([...pods].map(([namespace, watch]) => [namespace, watch.read()]));
    },
    report: () => ({
      listed: policies.isSynced(),
      ...heardAgo(policies),
      ...(failure !== undefined && { failure }),
    }),
    stop: async () => {
      await Promise.all([policies.stop(), ...stopPods(() => true)]);
    },
  };
}

interface PodWatch {
  readonly read: () => NamespacePods;
  readonly stop: () => Promise<void>;
}

function watchPods(
  namespace: string,
  { api, watchObjects, node, onChange, log }: ClusterPoliciesParts,
): PodWatch {
  let reason = "they are not listed yet";
  const watch = watchObjects<FoundPod>(api, {
    path: `/api/v1/namespaces/${namespace}/pods`,
    fieldSelector: `spec.nodeName=${node}`,
    operation: `watch pods of namespace ${namespace}`,
    metadataOnly: true,
    parse: foundPod,
    onChange,
    onFailure: (error) => {
      const found = messageOf(error);
      if (found !== reason) log("warn", "pods cannot be followed", { namespace, reason: found });
      reason = found;
    },
  });
  return {
    read: () =>
      watch.isSynced() ? { kind: "pods", pods: watch.all() } : { kind: "unknown", reason },
    stop: watch.stop,
  };
}

/** By name, so that two lists of the same policies are equal. */
function sorted(objects: readonly PolicyObject[]): readonly PolicyObject[] {
  return objects.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function policyObject(object: unknown): PolicyObject | undefined {
  const { metadata, spec } = Object(object);
  const { name } = Object(metadata);
  return typeof name === "string" ? { name, spec } : undefined;
}

/** A name of the kernel's folder is made of the UID. */
const uidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function foundPod(object: unknown): FoundPod | undefined {
  const { uid, labels } = Object(Object(object).metadata);
  if (typeof uid !== "string" || !uidForm.test(uid)) return undefined;
  return { uid, labels: Object(labels) };
}

function heardAgo(watch: Pick<ObjectWatch<unknown>, "heardMs">) {
  const heardMs = watch.heardMs();
  if (heardMs === undefined) return {};
  return { heardSecondsAgo: Math.floor((performance.now() - heardMs) / 1000) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error;
}
