import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { ClusterAccess } from "./cluster-access.ts";
import { KubernetesError } from "./kubernetes-error.ts";
import type { ApiLogin } from "./send-request.ts";

const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

type PodAccess = Extract<ClusterAccess, { readonly kind: "pod" }>;

/** The API server's URL, for a pod. */
export function podServer({ host, port }: PodAccess): string {
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Where the kubelet has mounted the account. @throws KubernetesError `KUBECONFIG_UNUSABLE` */
export function podFolder({ folder = accountFolder }: PodAccess): string {
  if (existsSync(`${folder}/token`)) return folder;
  const found = `read ${folder}/token: there is no such file`;
  throw new KubernetesError("KUBECONFIG_UNUSABLE", found);
}

/**
 * Logs in as the account of a pod, without the client library, which takes 10 MB of memory. It
 * reads the files for each request: the kubelet replaces the token.
 *
 * @throws KubernetesError `KUBECONFIG_UNUSABLE`
 */
export function podLogin(access: PodAccess): ApiLogin {
  const folder = podFolder(access);
  return {
    user: "account",
    options: async () => {
      const [token, ca] = await Promise.all([
        readFile(`${folder}/token`, "utf8"),
        readFile(`${folder}/ca.crt`, "utf8"),
      ]);
      return { ca, headers: { Authorization: `Bearer ${token.trim()}` } };
    },
  };
}
