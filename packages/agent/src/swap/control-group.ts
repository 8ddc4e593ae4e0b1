import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MOST_GROUPS = 20_000;

/**
 * The folder of the control group (v2) that a process is in; undefined if it is not seen from here.
 *
 * @param root the mount point of the unified hierarchy
 * @param path of the group, as /proc/PID/cgroup has it. For a group that is not below this
 * process's own, cgroup_namespaces(7) puts `/..` first and leaves out the own group's name
 */
export function groupFolder(root: string, pid: number, path: string): string | undefined {
  if (!path.startsWith("/..")) return isIn(join(root, path), pid) ? join(root, path) : undefined;
  const end = path.replace(/^(\/\.\.)+/, "");
  return foldersThatEnd(root, end).find((folder) => isIn(folder, pid));
}

/** Whether the process is in the group of a folder. */
export function isIn(folder: string, pid: number): boolean {
  try {
    return readFileSync(join(folder, "cgroup.procs"), "latin1").split("\n").includes(String(pid));
  } catch {
    return false;
  }
}

function foldersThatEnd(root: string, end: string): readonly string[] {
  const found: string[] = [];
  const waiting = [root];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    seen += 1;
    if (seen > MOST_GROUPS) break;
    if (folder.endsWith(end)) found.push(folder);
    waiting.push(...subfolders(folder));
  }
  return found;
}

function subfolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    // It has gone while this walked.
    return [];
  }
}
