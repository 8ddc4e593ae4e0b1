import type { KubernetesTarget } from "./kubernetes-api.ts";

/** The text of a kubeconfig with one cluster, user and context, in the form that kubectl writes. */
export function kubeconfig({ address, caPem, token }: KubernetesTarget): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(caPem).toString("base64")}
    server: ${address}
  name: svc-test
contexts:
- context:
    cluster: svc-test
    user: administrator
  name: svc-test
current-context: svc-test
kind: Config
preferences: {}
users:
- name: administrator
  user:
    token: ${token}
`;
}
