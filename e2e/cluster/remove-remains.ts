import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterCgroups, removeClusterCgroup } from "./cluster-cgroup.ts";

/** The names of a cluster's folder and cgroup begin with this. The supervisor's pid follows. */
export const CLUSTER_PREFIX = "svc-cluster-";

/** The folder in which a cluster keeps everything. */
export function stateFolder(name: string): string {
  return join(tmpdir(), name);
}

/**
 * Ends every process of the cluster, and removes its cgroups and its folder. Its mounts and its
 * network end with its processes: they were in separate namespaces.
 */
export async function removeRemains(name: string): Promise<void> {
  await removeClusterCgroup(name);
  rmSync(stateFolder(name), { recursive: true, force: true });
}

/** Removes the remains of clusters whose supervisor was killed; gives their names. */
export async function removeAbandoned(): Promise<readonly string[]> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(CLUSTER_PREFIX));
  const names = new Set([...clusterCgroups(CLUSTER_PREFIX), ...folders]);
  const abandoned = [...names].filter((name) => !hasSupervisor(name));
  for (const name of abandoned) await removeRemains(name);
  return abandoned;
}

/** A supervisor that was killed leaves its pid to others: the command tells them apart. */
function hasSupervisor(name: string): boolean {
  const path = `/proc/${name.slice(CLUSTER_PREFIX.length)}/cmdline`;
  return existsSync(path) && readFileSync(path, "utf8").includes("run-in-cluster");
}
