import { existsSync, readFileSync, writeFileSync } from "node:fs";

const OPTIMISATION = "/proc/sys/debug/kprobes-optimization";
/**
 * It is there if probes at the beginning of a function are calls of ftrace, which are never made
 * jumps.
 */
const FTRACE = "/proc/sys/kernel/ftrace_enabled";

/**
 * The kernel turns a probe into a jump some time after it was attached
 * (Documentation/trace/kprobes.rst, "Jump Optimization"). Such a probe cannot change the result of
 * a function. So this is switched off if probes refuse calls.
 *
 * @returns whether it was switched off just now
 * @throws Error of node:fs if it may not be
 */
export function keepProbesUnoptimised(): boolean {
  if (existsSync(FTRACE) || !existsSync(OPTIMISATION)) return false;
  if (readFileSync(OPTIMISATION, "latin1").trim() === "0") return false;
  writeFileSync(OPTIMISATION, "0\n");
  return true;
}
