import { isIP } from "node:net";
import type { KubernetesApi } from "@svc/kubernetes";
import { field, textIn } from "../rotation/fields.ts";
import type { ProvenPod } from "../rotation/identify-pod.ts";
import { unlessStatus } from "../unless-status.ts";

/** The address of a pod that gets hints, or why it gets none, and when it may ask again. */
export type HintedPod =
  | { readonly kind: "pod"; readonly address: string }
  | { readonly kind: "none"; readonly reason: string; readonly retryAfterMs: number };

/** Finds the address of a proven pod. @throws KubernetesError */
export type FindHintedPod = (pod: ProvenPod) => Promise<HintedPod>;

const [SOON_MS, LATE_MS] = [3000, 600_000];

/** Reads pods one by one. */
export function hintedPods(api: Pick<KubernetesApi, "ask">): FindHintedPod {
  return async ({ namespace, name, uid }) => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    const operation = `read pod "${name}" in namespace "${namespace}"`;
    return hintedPod(await unlessStatus([404], api.ask({ method: "GET", path, operation })), uid);
  };
}

function hintedPod(pod: unknown, uid: string): HintedPod {
  const phase = textIn(pod, "status", "phase");
  const isOver =
    field(pod, "metadata", "deletionTimestamp") !== undefined ||
    phase === "Succeeded" ||
    phase === "Failed";
  if (textIn(pod, "metadata", "uid") !== uid || isOver) return none("the pod is over", LATE_MS);
  // Its address is the node's, which has other listeners.
  if (field(pod, "spec", "hostNetwork") === true) {
    return none("the pod is in the network of its node", LATE_MS);
  }
  const address = textIn(pod, "status", "podIP");
  if (address === undefined || isIP(address) === 0) {
    return none("the API server does not know the pod's address yet", SOON_MS);
  }
  return { kind: "pod", address };
}

function none(reason: string, retryAfterMs: number): HintedPod {
  return { kind: "none", reason, retryAfterMs };
}
