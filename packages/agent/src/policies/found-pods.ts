import type { PodSelector } from "./policy.ts";

/** A pod that runs on this machine. */
export interface FoundPod {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The pods of a namespace, or why they are not known. */
export type NamespacePods =
  | { readonly kind: "pods"; readonly pods: readonly FoundPod[] }
  | { readonly kind: "unknown"; readonly reason: string };

/** By namespace. */
export type FoundPods = ReadonlyMap<string, NamespacePods>;

/** UIDs of the pods that a selector matches. */
export function uidsOf(found: FoundPods, { namespace, matchLabels }: PodSelector) {
  const pods = found.get(namespace);
  if (pods?.kind !== "pods") return [];
  const wanted = Object.entries(matchLabels);
  return pods.pods
    .filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value))
    .map(({ uid }) => uid);
}
