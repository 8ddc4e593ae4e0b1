import { readdirSync, readFileSync, statSync } from "node:fs";
import { type CgroupIdentity, cgroupIdentity } from "./cgroup-identity.ts";

/** How often the hierarchy is walked at most: 500 groups take some milliseconds. */
const WALK_INTERVAL_MS = 1000;
const MOST_GROUPS = 20_000;

/**
 * Finds cgroups by their ids, which the kernel side says of every actor: a process that has ended
 * has no /proc/PID/cgroup any more, and its container is still there.
 */
export class CgroupDirectory {
  readonly #root: string | undefined;
  #known = new Map<bigint, CgroupIdentity>();
  #walkedMs = Number.NEGATIVE_INFINITY;

  /** @param root the mount of the unified hierarchy; by default it looks for the mount. */
  constructor(root = unifiedRoot(mounts())) {
    this.#root = root;
  }

  /** The cgroup of an id; undefined if it is not there, or not seen from here. */
  find(id: bigint): CgroupIdentity | undefined {
    const known = this.#known.get(id);
    if (known !== undefined || this.#root === undefined) return known;
    if (performance.now() - this.#walkedMs < WALK_INTERVAL_MS) return undefined;
    this.#walkedMs = performance.now();
    this.#known = walk(this.#root);
    return this.#known.get(id);
  }
}

/**
 * The mount of the unified hierarchy, by /proc/PID/mountinfo (proc_pid_mountinfo(5)). Beside
 * older ones that is not /sys/fs/cgroup: their folders have the same numbers, and would be taken
 * for others' containers.
 */
export function unifiedRoot(mountinfo: string): string | undefined {
  const line = mountinfo.split("\n").find((text) => text.includes(" - cgroup2 "));
  return line?.split(" ")[4];
}

function mounts(): string {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return "";
  }
}

/** Ids are inode numbers of the folders (kernfs, on machines of 64 bits). */
function walk(root: string): Map<bigint, CgroupIdentity> {
  const found = new Map<bigint, CgroupIdentity>();
  const waiting = [""];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.size >= MOST_GROUPS) break;
    try {
      const { ino } = statSync(root + path, { bigint: true });
      found.set(ino, cgroupIdentity(path || "/"));
      for (const entry of readdirSync(root + path, { withFileTypes: true })) {
        if (entry.isDirectory()) waiting.push(`${path}/${entry.name}`);
      }
    } catch {
      // It has gone while this walked.
    }
  }
  return found;
}
