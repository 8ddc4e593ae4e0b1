import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readProcess } from "../registration/process-facts.ts";
import type { ProcessIdentity } from "../registration/process-identity.ts";
import { unifiedRoot } from "../report/cgroup-directory.ts";
import { groupFolder, isIn } from "./control-group.ts";

/** Whether the kernel may write memory of registered programs to disks. Secret memory never is. */
export interface SwapFacts {
  /** The swap spaces of the machine: files and disks. */
  readonly spaces: readonly string[];
  /** KEEP_OUT_OF_SWAP. */
  readonly keepsOut: boolean;
  /** Programs that the kernel may swap, if the machine has swap space or is given some. */
  readonly swappable: readonly SwappableProgram[];
}

/** A program that may be swapped. */
export interface SwappableProgram {
  readonly pid: number;
  readonly reason: string;
}

/** The folder of the machine's files; tests have others. */
export interface SwapPlaces {
  readonly proc: string;
  /** The mount of the unified hierarchy; undefined if there is none. */
  readonly groups: string | undefined;
}

/** A program that was looked at. */
interface KnownProgram {
  readonly startTicks: number;
  readonly folder: string | undefined;
  /** Why it may be swapped; undefined if it may not be, or has ended. */
  readonly reason: string | undefined;
}

/** Keeps registered programs out of swap, by `memory.swap.max` of their control groups. */
export class SwapKeeper {
  readonly #keepsOut: boolean;
  readonly #places: SwapPlaces;
  #known = new Map<number, KnownProgram>();

  /** @param keepsOut false if it only looks */
  constructor(keepsOut: boolean, places: SwapPlaces = machinesPlaces()) {
    this.#keepsOut = keepsOut;
    this.#places = places;
  }

  /**
   * Looks at programs, and keeps them out if that may be done; forgets all others.
   *
   * @param which those that it has not looked at yet, or all
   * @returns those that may be swapped and were not known to be
   */
  check(programs: readonly ProcessIdentity[], which: "new" | "all"): readonly SwappableProgram[] {
    const before = this.#known;
    this.#known = new Map();
    const found: SwappableProgram[] = [];
    for (const { pid, startTicks } of programs) {
      const known = before.get(pid);
      const same = known?.startTicks === startTicks ? known : undefined;
      const now = same && which === "new" ? same : this.#look(pid, startTicks, same?.folder);
      this.#known.set(pid, now);
      const { reason } = now;
      if (reason !== undefined && reason !== same?.reason) found.push({ pid, reason });
    }
    return found;
  }

  facts(): SwapFacts {
    const swappable = [...this.#known].flatMap(([pid, { reason }]) =>
      reason === undefined ? [] : [{ pid, reason }],
    );
    return { spaces: swapSpaces(this.#places.proc), keepsOut: this.#keepsOut, swappable };
  }

  /** @param folder its place */
  #look(pid: number, startTicks: number, folder: string | undefined): KnownProgram {
    const { proc, groups } = this.#places;
    const facts = readProcess(pid, proc);
    if (facts === undefined) return { startTicks, folder, reason: undefined };
    if (folder !== undefined && isIn(folder, pid)) {
      return { startTicks, folder, reason: this.#keepOut(folder) };
    }
    const found = groups === undefined ? undefined : groupFolder(groups, pid, facts.cgroup);
    const reason =
      found === undefined ? "its control group is not seen from here" : this.#keepOut(found);
    return { startTicks, folder: found, reason };
  }

  #keepOut(folder: string): string | undefined {
    const file = join(folder, "memory.swap.max");
    const most = read(file);
    if (most === undefined) return "its control group has no memory.swap.max";
    if (most === "0") return undefined;
    return this.#keepsOut ? writeNone(file) : `memory.swap.max of its control group is ${most}`;
  }
}

function writeNone(file: string): string | undefined {
  try {
    writeFileSync(file, "0\n");
    return undefined;
  } catch (error) {
    const word = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return `memory.swap.max of its control group cannot be written: ${word}`;
  }
}

/** proc_swaps(5): a heading, and a line for each. */
function swapSpaces(proc: string): readonly string[] {
  const lines = read(join(proc, "swaps"))?.split("\n").slice(1) ?? [];
  return lines.flatMap((line) => line.split(/\s+/)[0] || []);
}

function machinesPlaces(): SwapPlaces {
  return { proc: "/proc", groups: unifiedRoot(read("/proc/self/mountinfo") ?? "") };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return undefined;
  }
}
