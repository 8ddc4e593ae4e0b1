import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unifiedRoot } from "../report/cgroup-directory.ts";

/** The kubelet's folders, by its drivers `cgroupfs` and `systemd`: bpf/policy_cgroups.h. */
const FOLDERS = ["kubepods", "kubepods.slice"];

/**
 * Why policies of pods hold for no process of this machine; undefined if they do, or if that cannot
 * be seen from here.
 *
 * @param mountinfo /proc/PID/mountinfo (proc_pid_mountinfo(5))
 */
export function objectionToFolders(
  mountinfo: string,
  exists: (path: string) => boolean,
): string | undefined {
  const root = unifiedRoot(mountinfo);
  if (root === undefined) {
    return mountinfo.includes(" - cgroup ") ? "the machine has no control groups v2" : undefined;
  }
  if (FOLDERS.some((name) => exists(join(root, name)))) return undefined;
  return `the kubelet has no control group ${FOLDERS.join(" or ")} at the root of the hierarchy, as with --cgroup-root`;
}

/** As objectionToFolders, of this process's mounts. */
export function findObjectionToFolders(): string | undefined {
  return objectionToFolders(readFileSync("/proc/self/mountinfo", "utf8"), existsSync);
}
