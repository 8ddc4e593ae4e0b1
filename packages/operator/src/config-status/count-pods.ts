import { type KubernetesApi, listPages } from "@svc/kubernetes";
import { injectedLabel, markedConfig } from "../inject/marker.ts";

/** Enough for a page of a megabyte or two: metadata alone, which is some kilobytes a pod. */
const PAGE = 500;
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/**
 * Counts the running pods of each SvcConfig, by `namespace/name`, page by page and without their specs. A pod in whichever
 * namespace counts for the SvcConfig that its marker names.
 *
 * @throws KubernetesError
 */
export async function countPods(
  api: KubernetesApi,
  prefix: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const pages = listPages(api, {
    path: "/api/v1/pods",
    query: {
      labelSelector: injectedLabel(prefix).join("="),
      fieldSelector: "status.phase=Running",
    },
    operation: "count the pods of SvcConfigs",
    accept: METADATA,
    page: PAGE,
    signal,
  });
  for await (const { items } of pages) {
    for (const item of items) {
      const { annotations } = Object(Object(item).metadata);
      const marker: unknown = Object(annotations)[`${prefix}/injected`];
      const config = typeof marker === "string" ? markedConfig(marker) : undefined;
      if (config !== undefined) counts.set(config, (counts.get(config) ?? 0) + 1);
    }
  }
  return counts;
}
