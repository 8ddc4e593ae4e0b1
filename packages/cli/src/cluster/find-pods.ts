import type { LabelRequirement, LabelSelector } from "@svc/operator";
import { type ClusterView, type Manifest, type Seen, textsOf } from "./cluster-view.ts";

/** The pods that an object has made, or its jobs and replica sets for it; a pod is its own. */
export async function findPods(
  object: Manifest,
  namespace: string,
  cluster: ClusterView,
): Promise<Seen<readonly Manifest[]>> {
  if (object["kind"] === "Pod") return { ok: true, value: [object] };
  const selector = selectorText(Object(object["spec"]).selector);
  const listed = await cluster.pods(namespace, selector);
  if (!listed.ok || selector !== "") return listed;
  const name = String(Object(object["metadata"]).name);
  return { ok: true, value: listed.value.filter(({ metadata }) => isOf(metadata, name)) };
}

/**
 * A selector as a query has it; empty if there is none, as in a CronJob. A
 * ReplicationController's has labels alone.
 */
function selectorText(selector: unknown): string {
  // The API server has checked that it is one.
  const { matchLabels, matchExpressions } = Object(selector) as LabelSelector;
  const isPlain = matchLabels === undefined && matchExpressions === undefined;
  const labels = Object.entries(textsOf(isPlain ? selector : matchLabels));
  const words = (matchExpressions ?? []).map(requirementText);
  return [...labels.map(([key, value]) => `${key}=${value}`), ...words].join(",");
}

function requirementText({ key, operator, values = [] }: LabelRequirement): string {
  switch (operator) {
    case "In":
      return `${key} in (${values.join(",")})`;
    case "NotIn":
      return `${key} notin (${values.join(",")})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
  }
}

/** The names of owners begin with the name of the next owner. */
function isOf(metadata: unknown, name: string): boolean {
  const { ownerReferences } = Object(metadata);
  const owners: readonly unknown[] = Array.isArray(ownerReferences) ? ownerReferences : [];
  return owners.some((owner) => {
    const about = String(Object(owner).name);
    return about === name || about.startsWith(`${name}-`);
  });
}
