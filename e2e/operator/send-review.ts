import { ownAddress } from "./own-address.ts";
import type { Replica } from "./replica.ts";

/** The answer of a replica. */
export interface ReviewAnswer {
  readonly status: number;
  /** The JSON patch, as text; empty if there is none. */
  readonly patch: string;
}

/**
 * Asks a replica about a pod of the namespace `shop`, as the API server does before it creates it.
 * That one asks again after the first answer, needs an endpoint each time, and checks the pod's
 * fields.
 */
export async function sendReview(replica: Replica, pod: object): Promise<ReviewAnswer> {
  const request = {
    uid: "1",
    kind: { group: "", version: "v1", kind: "Pod" },
    ...{ operation: "CREATE", namespace: "shop", object: pod },
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const answer = await fetch(`https://${ownAddress()}:${replica.port}/mutate-v1-pod`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(review),
    tls: { rejectUnauthorized: false },
  });
  const patch: unknown = Object(Object(await answer.json()).response).patch;
  return {
    status: answer.status,
    patch: typeof patch === "string" ? Buffer.from(patch, "base64").toString() : "",
  };
}
