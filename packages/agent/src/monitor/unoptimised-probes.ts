import { existsSync, readFileSync, writeFileSync } from "node:fs";

const OPTIMISATION = "/proc/sys/debug/kprobes-optimization";
/** It is there where probes at the beginning of a function are calls of ftrace, which are never made jumps. */
const FTRACE = "/proc/sys/kernel/ftrace_enabled";

/**
 * A probe that the kernel has made a jump (Documentation/trace/kprobes.rst, "Jump Optimization") cannot change what a function
 * answers, and becomes one some time after it was attached. So that is switched off where probes are to refuse calls.
 *
 * @returns whether it was switched off just now
 * @throws Error of node:fs where it may not be
 */
export function keepProbesUnoptimised(): boolean {
  if (existsSync(FTRACE) || !existsSync(OPTIMISATION)) return false;
  if (readFileSync(OPTIMISATION, "latin1").trim() === "0") return false;
  writeFileSync(OPTIMISATION, "0\n");
  return true;
}
