import { readdirSync, readFileSync } from "node:fs";
import { isGone, type ProcessFacts, readProcess } from "./process-facts.ts";

/** How far is looked; a wrapper's program is mostly its only child. */
export interface DescentLimits {
  /** Processes below the caller. */
  readonly processes: number;
  /** Generations between the caller and the program. */
  readonly generations: number;
}

export const descentLimits: DescentLimits = { processes: 4096, generations: 64 };

/**
 * The children of all threads of a process; `/proc/PID/task/TID/children` of proc_tid_children(5).
 */
export function childrenOf(pid: number, proc = "/proc"): readonly number[] {
  return threadsOf(pid, proc).flatMap((thread) => {
    try {
      const text = readFileSync(`${proc}/${pid}/task/${thread}/children`, "latin1");
      return text.split(" ").filter(Boolean).map(Number);
    } catch (error) {
      if (isGone(error)) return [];
      throw error;
    }
  });
}

function threadsOf(pid: number, proc: string): readonly string[] {
  try {
    return readdirSync(`${proc}/${pid}/task`);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** The descendant that has the number in the caller's pid namespace; undefined if there is none. */
export function findDescendant(
  caller: ProcessFacts,
  claimedPid: number,
  limits: DescentLimits = descentLimits,
): ProcessFacts | undefined {
  const level = caller.namespacePids.length - 1;
  for (const pid of descendantsOf(caller.pid, limits)) {
    const facts = readProcess(pid);
    if (facts?.namespacePids[level] === claimedPid) return facts;
  }
  return undefined;
}

/** Everything below a process, parents first, as far as the limit. */
export function* descendantsOf(
  root: number,
  limits: DescentLimits = descentLimits,
): Generator<number> {
  const seen = new Set<number>([root]);
  const waiting = [root];
  for (let parent = waiting.shift(); parent !== undefined; parent = waiting.shift()) {
    for (const pid of childrenOf(parent)) {
      if (seen.has(pid)) continue;
      if (seen.size > limits.processes) return;
      seen.add(pid);
      waiting.push(pid);
      yield pid;
    }
  }
}

/**
 * The way up from a process to an ancestor, both included; undefined if that is not above it. The
 * numbers are read one after another and may be given again meanwhile: no parent is younger than
 * its child, else nothing is believed.
 */
export function lineage(
  from: ProcessFacts,
  ancestor: ProcessFacts,
  limits: DescentLimits = descentLimits,
): readonly ProcessFacts[] | undefined {
  const line = [from];
  let current = from;
  for (let step = 0; step < limits.generations; step++) {
    const parent = readProcess(current.parentPid);
    if (parent === undefined || parent.startTicks > current.startTicks) return undefined;
    line.push(parent);
    if (parent.pid === ancestor.pid) {
      return parent.startTicks === ancestor.startTicks ? line : undefined;
    }
    current = parent;
  }
  return undefined;
}
