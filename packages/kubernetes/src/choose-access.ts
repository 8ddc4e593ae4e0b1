import type { ClusterAccess } from "./cluster-access.ts";

/** The cluster that a user names. */
export interface NamedCluster {
  /** Absent for the pod's service account, or `~/.kube/config`. */
  readonly kubeconfig?: readonly string[];
  readonly context?: string;
}

/**
 * How the API server is reached: by a kubeconfig that was named, else by the account of the pod
 * that this runs in, else by `~/.kube/config`.
 *
 * @param environment KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, which the kubelet sets;
 * HOME and PATH
 */
export function chooseAccess(
  { kubeconfig, context }: NamedCluster,
  environment: ReadonlyMap<string, string>,
): ClusterAccess {
  const [path = "", home = ""] = ["PATH", "HOME"].map((name) => environment.get(name));
  const host = environment.get("KUBERNETES_SERVICE_HOST") ?? "";
  if (kubeconfig === undefined && context === undefined && host !== "") {
    return { kind: "pod", host, port: environment.get("KUBERNETES_SERVICE_PORT") ?? "443" };
  }
  const paths = kubeconfig ?? [`${home}/.kube/config`];
  const named = context === undefined ? {} : { context };
  return { kind: "kubeconfig", paths, ...named, programs: { path, home } };
}
