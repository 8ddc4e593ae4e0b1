import { readFileSync } from "node:fs";

/**
 * For how long the main thread of a process was runnable while others had its processor, since it
 * started, in milliseconds (/proc/PID/schedstat, the second field; Linux, sched-stats.rst).
 */
export function processorWaitMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
}

/** The longest of some times, as it was and without the time that the machine's processors took. */
export interface Longest {
  wholeMs: number;
  ownMs: number;
}

/** A time that passed, of which it waited so long for a processor. */
export function noteTime(longest: Longest, wholeMs: number, waitedMs: number): void {
  longest.wholeMs = Math.max(longest.wholeMs, wholeMs);
  longest.ownMs = Math.max(longest.ownMs, wholeMs - waitedMs);
}
