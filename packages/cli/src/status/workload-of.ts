import { type Manifest, textsOf } from "../cluster/cluster-view.ts";
import { plain } from "../cluster/told-secrets.ts";

/**
 * The workload that a pod belongs to, as kubectl names it: `deployment/web`. A ReplicaSet of a
 * Deployment has the Deployment's name and the hash of its template, which its pods have as a
 * label. A Job of a CronJob has the CronJob's name and a time in minutes. Pure.
 */
export function workloadOf({ metadata }: Manifest): string {
  const { name, ownerReferences, labels } = Object(metadata);
  const owners: readonly unknown[] = Array.isArray(ownerReferences) ? ownerReferences : [];
  const owner = Object(owners.find((one) => Object(one).controller === true));
  if (typeof owner.kind !== "string") return `pod/${plain(String(name))}`;
  const kind = owner.kind.toLowerCase();
  const of = plain(String(owner.name));
  const hash = textsOf(labels)["pod-template-hash"];
  if (kind === "replicaset" && hash !== undefined && of.endsWith(`-${hash}`)) {
    return `deployment/${of.slice(0, -hash.length - 1)}`;
  }
  const [, cronJob] = (kind === "job" && /^(.+)-\d{8,10}$/.exec(of)) || [];
  return cronJob === undefined ? `${kind}/${of}` : `cronjob/${cronJob}`;
}
