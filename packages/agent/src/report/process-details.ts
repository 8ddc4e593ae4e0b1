import { readFileSync } from "node:fs";
import { type Ancestor, ancestorsOf, readLiving } from "./ancestors.ts";
import { CgroupDirectory } from "./cgroup-directory.ts";
import { cgroupIdentity } from "./cgroup-identity.ts";
import { type NamedCgroup, PodNames } from "./pod-names.ts";

/** /proc's additions to the kernel side's facts about a process. */
export interface ProcessDetails {
  /** The file that it runs, as its mount namespace calls it. */
  readonly executablePath?: string;
  readonly cgroup?: NamedCgroup;
  /** The user that it runs as, by the initial user namespace. */
  readonly uid?: number;
  /** The processes above it, the nearest first. */
  readonly ancestors?: readonly Ancestor[];
}

/** A process by its permanent identity, with the kernel side's facts. */
export interface ProcessName {
  readonly pid: number;
  readonly startNs: bigint;
  readonly cgroup: bigint;
  /**
   * Its parent's, if the kernel side has said it: that may live on when the process has ended.
   */
  readonly parentPid?: number;
}

/** Ticks of /proc a second (USER_HZ): the same on every Linux. */
const TICKS = 100n;
const MOST_KNOWN = 2048;
const LONGEST_PATH = 4096;

/** Looks processes up, and remembers those that it saw last. */
export class ProcessDirectory {
  readonly #known = new Map<string, ProcessDetails>();
  readonly #names: PodNames;
  readonly #cgroups: CgroupDirectory;

  constructor(names = new PodNames(undefined), cgroups = new CgroupDirectory()) {
    this.#names = names;
    this.#cgroups = cgroups;
  }

  /** The facts about a process; of an ended one only its cgroup's owner, and its parents. */
  look({ pid, startNs, cgroup, parentPid }: ProcessName): ProcessDetails {
    const key = `${pid}:${startNs}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const startTicks = (startNs * TICKS) / 1_000_000_000n;
    const details = detailsOf(pid);
    // Read before and checked after: another process of that pid must not lend it a name.
    const living = readLiving(pid);
    const isIt = living?.startTicks === startTicks;
    const parent = isIt ? living.parentPid : parentPid;
    const ancestors = parent === undefined ? [] : ancestorsOf({ parentPid: parent, startTicks });
    const above = ancestors.length > 0 ? { ancestors } : {};
    if (!isIt) {
      const identity = this.#cgroups.find(cgroup);
      return { ...above, ...(identity !== undefined && { cgroup: this.#names.name(identity) }) };
    }
    const { cgroup: own, ...facts } = details;
    const whole = { ...facts, ...(own && { cgroup: this.#names.name(own) }), ...above };
    this.#remember(key, whole);
    return whole;
  }

  #remember(key: string, details: ProcessDetails): void {
    if (this.#known.size >= MOST_KNOWN) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(key, details);
  }
}

function detailsOf(pid: number): ProcessDetails {
  const executablePath = readLiving(pid)?.executablePath;
  const groups = attempt(() => readFileSync(`/proc/${pid}/cgroup`, "utf8"));
  // The unified hierarchy; cgroups(7).
  const path = groups
    ?.split("\n")
    .find((line) => line.startsWith("0::"))
    ?.slice(3);
  const uid = /^Uid:\t(\d+)/m.exec(
    attempt(() => readFileSync(`/proc/${pid}/status`, "utf8")) ?? "",
  );
  return {
    ...(executablePath !== undefined && { executablePath }),
    ...(uid?.[1] !== undefined && { uid: Number(uid[1]) }),
    ...(path !== undefined && { cgroup: cgroupIdentity(path.slice(0, LONGEST_PATH)) }),
  };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
