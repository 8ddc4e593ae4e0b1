import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterState } from "./cluster-state.ts";

/**
 * Gives the earlier result of `make` in this cluster, or calls it for the first time. So stories
 * share slow steps, and each can run alone. The result is kept as JSON in the cluster's folder.
 */
export async function once<T>(
  { settings }: ClusterState,
  name: string,
  make: () => Promise<T>,
): Promise<T> {
  const path = join(settings, `made-${name}.json`);
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8"));
  const made = await make();
  writeFileSync(path, JSON.stringify(made ?? null), { mode: 0o600 });
  return made;
}
