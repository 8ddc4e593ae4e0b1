import { existsSync, renameSync, rmSync } from "node:fs";

/**
 * Gives a finished folder its name in the cache. If another run was faster, its folder is as
 * good as ours.
 */
export function settleFolder(fresh: string, target: string): void {
  try {
    renameSync(fresh, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
    rmSync(fresh, { recursive: true });
  }
}
