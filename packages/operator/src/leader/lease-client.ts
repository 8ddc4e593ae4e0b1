import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { unlessStatus } from "../unless-status.ts";
import { type LeaseRecord, leaseSpec, parseLease, type StoredLease } from "./lease.ts";

/** One Lease in a cluster. */
export interface LeaseClient {
  /**
   * Undefined if there is none.
   * @throws KubernetesError
   */
  readonly read: (timeoutMs: number) => Promise<StoredLease | undefined>;
  /**
   * Writes a record over the state that it was decided on, or makes the Lease if there was none;
   * undefined if another client was faster.
   * @throws KubernetesError
   */
  readonly write: (
    record: LeaseRecord,
    over: StoredLease | undefined,
    timeoutMs: number,
  ) => Promise<StoredLease | undefined>;
}

/** Which Lease. */
export interface LeasePlace {
  readonly namespace: string;
  readonly name: string;
}

/** Makes a client of a Lease. It changes only the record of an existing one. */
export function leaseClient(api: Pick<KubernetesApi, "ask">, place: LeasePlace): LeaseClient {
  const { namespace, name } = place;
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const what = `lease "${name}" in namespace "${namespace}"`;
  const path = `${leases}/${name}`;
  const read = async (timeoutMs: number) => {
    const operation = `read ${what}`;
    const answer = await unlessStatus(
      [404],
      api.ask({ method: "GET", path, operation, timeoutMs }),
    );
    return answer === undefined ? undefined : checked(answer, operation);
  };
  const write: LeaseClient["write"] = async (record, over, timeoutMs) => {
    const operation = over === undefined ? `create ${what}` : `write ${what}`;
    const asked = { operation, timeoutMs };
    const answer = await unlessStatus(
      [409],
      over === undefined
        ? api.ask({ ...asked, method: "POST", path: leases, body: newLease(place, record) })
        : api.ask({ ...asked, method: "PATCH", path, body: leasePatch(record, over) }),
    );
    return answer === undefined ? undefined : checked(answer, operation);
  };
  return { read, write };
}

function newLease(metadata: LeasePlace, record: LeaseRecord): object {
  const apiVersion = "coordination.k8s.io/v1";
  return { apiVersion, kind: "Lease", metadata, spec: leaseSpec(record) };
}

/** With the version in it the server refuses it (409) if anything has changed since. */
function leasePatch(record: LeaseRecord, { resourceVersion }: StoredLease): object {
  return { metadata: { resourceVersion }, spec: leaseSpec(record) };
}

function checked(answer: unknown, operation: string): StoredLease {
  const lease = parseLease(answer);
  if (lease !== undefined) return lease;
  throw new KubernetesError("KUBERNETES_UNREACHABLE", `${operation}: the answer is not a Lease`);
}
