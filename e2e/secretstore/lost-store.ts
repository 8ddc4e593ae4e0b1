import { applyObject, createServiceAccountToken } from "@svc/testing";
import { letTimePass } from "./after-accident.ts";
import { type Cluster, OUTPUT } from "./cluster.ts";
import { INITIALISATION } from "./init-requests.ts";
import { killedAt } from "./killed-at.ts";
import { runProxied } from "./proxied-run.ts";
import type { StoreRelease } from "./store-release.ts";

/** Has a run lose a store's keys: it is killed when the store has answered. */
export async function loseKeys(
  cluster: Cluster,
  release: StoreRelease,
  as: Cluster = cluster,
): Promise<void> {
  const row = { number: INITIALISATION, moment: "after", title: "" } as const;
  const { initialisations } = await runProxied({ cluster: as, release, accident: killedAt(row) });
  if (initialisations !== 1) throw new TypeError(`there were ${initialisations} initialisations`);
  await letTimePass(cluster, release);
}

/**
 * The rights of the chart's Job if it may reset the store; the Secret is there, as the chart
 * makes it.
 */
export async function asJob(cluster: Cluster, release: StoreRelease): Promise<Cluster> {
  const { namespace, releaseName } = release;
  const { kube } = cluster;
  const name = "job";
  const metadata = { namespace, name };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const pod = `${releaseName}-0`;
  const rules = [
    { apiGroups: [""], resources: ["secrets"], resourceNames: [OUTPUT], verbs: ["get", "update"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
    { apiGroups: [""], resources: ["pods"], resourceNames: [pod], verbs: ["delete"] },
    {
      ...{ apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get", "delete"] },
      resourceNames: [`data-${pod}`],
    },
  ];
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await applyObject(kube, { apiVersion, kind: "Role", metadata, rules });
  await applyObject(kube, {
    ...{ apiVersion, kind: "RoleBinding", metadata },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  await applyObject(kube, {
    ...{ apiVersion: "v1", kind: "Secret", type: "svc.internal/store-keys" },
    metadata: { namespace, name: OUTPUT },
  });
  const token = await createServiceAccountToken(kube, namespace, name);
  return { ...cluster, kube: { ...kube, token } };
}
