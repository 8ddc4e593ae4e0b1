import { connectKubernetes, type SecretClient } from "@svc/bootstrap";
import type { ClusterAccess } from "@svc/kubernetes";
import { applyObject, createServiceAccountToken, type KubernetesTarget } from "@svc/testing";

/** The namespace of the tests' output Secrets. */
export const NAMESPACE = "vault";
export const OUTPUT = "svc-vault-init";

/**
 * The rights of the command's account for the one Secret. RBAC cannot limit the right to create by
 * a name.
 */
const rules = [
  { apiGroups: [""], resources: ["secrets"], resourceNames: [OUTPUT], verbs: ["get", "update"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
];

/** Makes an account with the rights of the rules, by default the command's. Gives its token. */
export async function makeAccount(
  kube: KubernetesTarget,
  name: string,
  allowed: readonly object[] = rules,
  namespace = NAMESPACE,
): Promise<string> {
  const metadata = { namespace, name };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await applyObject(kube, { apiVersion, kind: "Role", metadata, rules: allowed });
  await applyObject(kube, {
    apiVersion,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  return createServiceAccountToken(kube, namespace, name);
}

/** Lets an account do this in the whole cluster. */
export async function bindClusterRole(
  kube: KubernetesTarget,
  account: { readonly namespace: string; readonly name: string },
  allowed: readonly object[],
): Promise<void> {
  const { name } = account;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name };
  await applyObject(kube, { apiVersion, kind: "ClusterRole", metadata, rules: allowed });
  await applyObject(kube, {
    ...{ apiVersion, kind: "ClusterRoleBinding", metadata },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", ...account }],
  });
}

/**
 * The files that a kubelet mounts for an account, and how a pod with them reaches the API server.
 */
export async function podAccess(
  kube: KubernetesTarget,
  token: string,
  folder: string,
): Promise<ClusterAccess> {
  await Bun.write(`${folder}/token`, token);
  await Bun.write(`${folder}/ca.crt`, kube.caPem);
  const { hostname, port } = new URL(kube.address);
  return { kind: "pod", host: hostname, port, folder };
}

/** The output Secret as the account sees it. */
export async function secretClient(access: ClusterAccess, name = OUTPUT): Promise<SecretClient> {
  return (await connectKubernetes(access)).secret({ namespace: NAMESPACE, name });
}
