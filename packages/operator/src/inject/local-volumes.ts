import type { Pod, TextMap, Volume } from "../pod/pod.ts";

/** The cluster autoscaler keeps a node whose pods have local volumes that this does not list. */
const ANNOTATION = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";

/** The annotation with those of the added volumes that count as local; names in it stay. */
export function evictableVolumes({ metadata }: Pod, added: readonly Volume[]): TextMap {
  const local = added.filter((volume) => "emptyDir" in volume || "hostPath" in volume);
  const listed = (metadata.annotations?.[ANNOTATION] ?? "").split(",").map((name) => name.trim());
  const names = [...listed.filter((name) => name !== ""), ...local.map(({ name }) => name)];
  return local.length === 0 ? {} : { [ANNOTATION]: [...new Set(names)].join(",") };
}
