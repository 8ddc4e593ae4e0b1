import {
  fileKind,
  interruptTracee,
  readWholeFile,
  resumeTracee,
  SyscallError,
  seizeProcess,
  setTraceScope,
  waitForStop,
} from "@svc/kernel";
import type { Tracing } from "../program/tracing.ts";

const MAX_SETTING_BYTES = 64;

/**
 * Begins to trace a child that has just been started and holds nothing yet. Later would be too
 * late: a process that forbids dumps of itself cannot be traced without CAP_SYS_PTRACE.
 */
export function startTracing(pid: number): Tracing {
  // The tracer finds threads, mappings and executables there.
  if (!isProcMounted()) return { kind: "impossible", reason: "/proc is not mounted" };
  try {
    seizeProcess(pid, "signals");
    // Options that are given at once would also report the execve that the child may still be in.
    interruptTracee(pid);
    const stop = waitForStop(pid);
    if (stop === undefined) return { kind: "impossible", reason: "the courier has ended" };
    setTraceScope(pid, "exec");
    resumeTracee(pid, stop.event === 0 ? stop.signal : 0);
    return { kind: "tracing" };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return { kind: "impossible", reason: `${error.message}${yamaScope()}` };
  }
}

function isProcMounted(): boolean {
  return fileKind(new TextEncoder().encode("/proc/self/maps")) !== "missing";
}

/** The usual reason for a refusal; empty if the kernel has no such setting. */
function yamaScope(): string {
  try {
    const bytes = readWholeFile("/proc/sys/kernel/yama/ptrace_scope", MAX_SETTING_BYTES);
    return ` (kernel.yama.ptrace_scope is ${new TextDecoder().decode(bytes).trim()})`;
  } catch {
    return "";
  }
}
