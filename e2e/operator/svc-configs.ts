import { applyObject, callKubernetes, type KubernetesTarget } from "@svc/testing";

/** As much as pods need. */
export const vaultSpec = {
  vaultAddress: "https://vault.test:8200",
  vaultRole: "shop",
  secretPaths: ["kv/data/shop"],
  envMap: "*=*",
};

/** The path of a SvcConfig. */
export interface ConfigPlace {
  readonly name: string;
  readonly namespace?: string;
}

/**
 * Creates or changes a SvcConfig that has all that pods need, and `spec`; by default in the
 * namespace `shop`.
 */
export async function putConfig(
  kube: KubernetesTarget,
  { name, namespace = "shop" }: ConfigPlace,
  spec: object = {},
): Promise<void> {
  await applyObject(kube, {
    apiVersion: "svc.internal/v1alpha1",
    kind: "SvcConfig",
    metadata: { name, namespace },
    spec: { ...vaultSpec, ...spec },
  });
}

/** Deletes it. */
export async function deleteConfig(
  kube: KubernetesTarget,
  { name, namespace = "shop" }: ConfigPlace,
): Promise<void> {
  const path = `/apis/svc.internal/v1alpha1/namespaces/${namespace}/svcconfigs/${name}`;
  await callKubernetes(kube, { method: "DELETE", path });
}
