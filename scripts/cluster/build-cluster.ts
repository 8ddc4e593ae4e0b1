import { buildPrograms } from "../go/build-programs.ts";
import {
  CLUSTER_PROGRAMS,
  type ClusterPart,
  clusterFolder,
  clusterFolders,
} from "./cluster-programs.ts";

const parts: readonly ClusterPart[] = ["kubernetes", "containerd", "network", "coredns"];

/**
 * Makes sure that the programs of a cluster with pods are in `cache`, compiled from the modules
 * that each go.sum names by hash, and gives their folders. One part after the other: each wants all
 * processors. From an empty cache that takes about ten minutes of CPU time, which `say` is told
 * lines about; if kube-apiserver was compiled before, half of it. Throws `FETCH_FAILED`.
 */
export async function buildCluster(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<Readonly<Record<ClusterPart, string>>> {
  for (const part of parts) {
    await buildPrograms(CLUSTER_PROGRAMS[part], clusterFolder(cache, part), env, say);
  }
  return clusterFolders(cache);
}
