import { createHash } from "node:crypto";
import type { KubernetesApi } from "@svc/kubernetes";
import { GROUP } from "../svc-config/definition.ts";
import { unlessStatus } from "../unless-status.ts";
import { listIn, textIn } from "./fields.ts";
import { type Holder, holdersText, parseHolders } from "./holders.ts";
import type { WorkloadPlace } from "./read-workload.ts";

/** The permits of one workload, and the state in which they were read. */
export interface StoredPermits {
  readonly holders: readonly Holder[];
  /** Undefined if there is no Lease: nothing holds a permit. */
  readonly resourceVersion: string | undefined;
}

/** Keeps the permits of workloads, for all replicas of the operator. */
export interface PermitStore {
  /** @throws KubernetesError */
  readonly read: (workload: WorkloadPlace) => Promise<StoredPermits>;
  /**
   * Replaces the holders that were read; false if another replica was faster.
   * @throws KubernetesError
   */
  readonly write: (
    workload: WorkloadPlace,
    holders: readonly Holder[],
    over: StoredPermits,
  ) => Promise<boolean>;
  /** The permits of all workloads. @throws KubernetesError */
  readonly list: () => Promise<readonly ListedPermits[]>;
  /** Removes permits that are over, unless they have changed since. @throws KubernetesError */
  readonly remove: (permits: ListedPermits) => Promise<void>;
}

/** The permits of some workload. */
export interface ListedPermits extends StoredPermits {
  /** The name of their Lease. */
  readonly lease: string;
  /** The namespace of the workload. */
  readonly namespace: string;
}

/** On the Lease: which workload it is about, and who holds its permits. */
const [WORKLOAD, HOLDERS] = [`${GROUP}/workload`, `${GROUP}/holders`];
const NAMESPACE = `${GROUP}/workload-namespace`;
/** On every such Lease. */
const LABEL = `${GROUP}/permits`;

/**
 * Keeps the permits of each workload in a Lease of the operator's namespace. With its version in
 * each write, two replicas cannot give the same permit. A workload without holders has no Lease.
 */
export function permitStore(api: Pick<KubernetesApi, "ask">, namespace: string): PermitStore {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const read: PermitStore["read"] = async (workload) => {
    const operation = `read the permits of ${nameOf(workload)}`;
    const path = `${leases}/${leaseName(workload)}`;
    const lease = await unlessStatus([404], api.ask({ method: "GET", path, operation }));
    const resourceVersion = textIn(lease, "metadata", "resourceVersion");
    const holders = parseHolders(textIn(lease, "metadata", "annotations", HOLDERS));
    return { holders, resourceVersion };
  };
  const write: PermitStore["write"] = async (workload, holders, { resourceVersion }) => {
    const operation = `write the permits of ${nameOf(workload)}`;
    const name = leaseName(workload);
    const path = `${leases}/${name}`;
    const annotations = { [WORKLOAD]: nameOf(workload), [HOLDERS]: holdersText(holders) };
    if (resourceVersion === undefined) {
      if (holders.length === 0) return true;
      const place = { [NAMESPACE]: workload.namespace };
      const labels = { [LABEL]: "true" };
      const metadata = { namespace, name, labels, annotations: { ...annotations, ...place } };
      const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: {} };
      return isDone(api.ask({ method: "POST", path: leases, body, operation }));
    }
    // With the version in it the server refuses it (409) if anything has changed since.
    if (holders.length === 0) {
      const body = { preconditions: { resourceVersion } };
      return isDone(api.ask({ method: "DELETE", path, body, operation }));
    }
    const body = { metadata: { resourceVersion, annotations } };
    return isDone(api.ask({ method: "PATCH", path, body, operation }));
  };
  const list: PermitStore["list"] = async () => {
    const path = `${leases}?labelSelector=${encodeURIComponent(`${LABEL}=true`)}`;
    const answer = await api.ask({ method: "GET", path, operation: "list permits" });
    return listIn(answer, "items").map((item) => ({
      lease: textIn(item, "metadata", "name") ?? "",
      namespace: textIn(item, "metadata", "annotations", NAMESPACE) ?? "",
      holders: parseHolders(textIn(item, "metadata", "annotations", HOLDERS)),
      resourceVersion: textIn(item, "metadata", "resourceVersion"),
    }));
  };
  const remove: PermitStore["remove"] = async ({ lease, resourceVersion }) => {
    const operation = `delete lease "${lease}"`;
    const body = { preconditions: { resourceVersion } };
    await isDone(api.ask({ method: "DELETE", path: `${leases}/${lease}`, body, operation }));
  };
  return { read, write, list, remove };
}

/** For messages, and for people who look at the Lease: `Deployment/web in namespace "shop"`. */
export function nameOf({ kind, name, namespace }: WorkloadPlace): string {
  return `${kind}/${name} in namespace "${namespace}"`;
}

/** A name that is valid and short for each workload; its annotation names the workload. */
function leaseName({ apiVersion, kind, namespace, name }: WorkloadPlace): string {
  const text = [apiVersion, kind, namespace, name].join("\0");
  return `svc-permits-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

async function isDone(answer: Promise<unknown>): Promise<boolean> {
  return (
    (await unlessStatus(
      [404, 409],
      answer.then(() => true),
    )) === true
  );
}
