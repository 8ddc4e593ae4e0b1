import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import type { PodFacts } from "./pod-facts.ts";

/** Replaces a pod: its controller makes another one. Gives why it cannot be, if it cannot. */
export type PodEvictor = (namespace: string, pod: PodFacts) => Promise<string | undefined>;

/** The API server's answer if a PodDisruptionBudget forbids an eviction (policy/v1). */
const TOO_MANY_REQUESTS = 429;

/** Evicts pods by the API server, which honours PodDisruptionBudgets. */
export function podEvictor(api: Pick<KubernetesApi, "ask">): PodEvictor {
  return async (namespace, { name, uid }) => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    const operation = `evict pod "${name}" in namespace "${namespace}"`;
    const body = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { namespace, name },
      deleteOptions: { preconditions: { uid } },
    };
    try {
      await api.ask({ method: "POST", path, body, operation });
      return undefined;
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      if (error.status === 404 || error.status === 409) return undefined;
      if (error.status === 403) return "the operator may not evict pods";
      if (error.status === TOO_MANY_REQUESTS) return "a PodDisruptionBudget allows no disruption";
      throw error;
    }
  };
}
