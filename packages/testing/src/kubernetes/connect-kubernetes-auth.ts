import { type BaoTarget, callBao } from "../openbao/bao-api.ts";
import { applyObject } from "./apply-object.ts";
import type { KubernetesTarget } from "./kubernetes-api.ts";
import { createServiceAccountToken } from "./service-account-token.ts";

/** The account that OpenBao reviews tokens as. */
const REVIEWER = { namespace: "kube-system", name: "openbao-reviewer" } as const;

/**
 * Mounts and configures `auth/<mount>` against a real API server, with a reviewer account made for
 * it there.
 */
export async function connectKubernetesAuth(
  target: BaoTarget,
  kube: KubernetesTarget,
  mount = "kubernetes",
): Promise<void> {
  const body = { type: "kubernetes" };
  await callBao(target, { method: "POST", path: `sys/auth/${mount}`, body });
  const config = {
    kubernetes_host: kube.address,
    kubernetes_ca_cert: kube.caPem,
    // The server then does not look for the CA and the token of a pod it does not run in.
    disable_local_ca_jwt: true,
    token_reviewer_jwt: await reviewerToken(kube),
  };
  await callBao(target, { method: "POST", path: `auth/${mount}/config`, body: config });
}

/** A token of an account that may ask about other tokens and nothing else. */
export async function reviewerToken(kube: KubernetesTarget): Promise<string> {
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata: REVIEWER });
  await applyObject(kube, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: REVIEWER.name },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "system:auth-delegator",
    },
    subjects: [{ kind: "ServiceAccount", ...REVIEWER }],
  });
  return createServiceAccountToken(kube, REVIEWER.namespace, REVIEWER.name);
}
