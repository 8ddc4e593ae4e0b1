import { chooseAccess, connectApi, type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { CliError } from "../errors.ts";
import type { ClusterSettings } from "./cluster-flags.ts";
import { type ClusterView, clusterView } from "./cluster-view.ts";

/** A cluster that a command looks at. */
export interface OpenCluster {
  readonly api: KubernetesApi;
  readonly cluster: ClusterView;
  /** That of the flag, else of the kubeconfig's context, else `default`. */
  readonly namespace: string;
}

/**
 * Connects with the cluster of the flags; nothing is asked yet.
 *
 * @throws KubernetesError
 */
export async function openCluster(
  { cluster, namespace }: ClusterSettings,
  environment: ReadonlyMap<string, string>,
): Promise<OpenCluster> {
  const api = await connectApi(chooseAccess(cluster, environment));
  return { api, cluster: clusterView(api), namespace: namespace ?? api.namespace ?? "default" };
}

/**
 * Does the work of a command.
 *
 * @throws CliError `CLUSTER_UNREADABLE` if the API server fails it
 */
export async function orUnreadable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    throw new CliError("CLUSTER_UNREADABLE", [`${error.message} (${error.hint})`]);
  }
}
