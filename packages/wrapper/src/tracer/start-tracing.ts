import {
  interruptTracee,
  readWholeFile,
  releaseTracee,
  resumeTracee,
  SyscallError,
  seizeProcess,
  setTraceScope,
  type TraceeStop,
  traceEvent,
  viewOfProc,
  waitForStop,
} from "@svc/kernel";
import type { Tracing } from "../program/tracing.ts";

const MAX_SETTING_BYTES = 64;
const MAX_SIGNAL = 64;

/**
 * Begins to trace a child that has just been started and holds nothing yet. Later would be too
 * late: a process that forbids dumps of itself cannot be traced without CAP_SYS_PTRACE.
 *
 * It is the self-test of `inject` as well (docs/decisions/0113): these are the calls by which the
 * program is stopped later. If one of them works otherwise than in Linux, the child runs on
 * untraced.
 */
export function startTracing(pid: number): Tracing {
  const obstacle = procObstacle();
  if (obstacle !== undefined) return impossible(obstacle);
  try {
    seizeProcess(pid, "signals");
  } catch (error) {
    return impossible(`${refusalOf(error)}${yamaScope()}`);
  }
  try {
    // Options that are given at once would also report the execve that the child may still be in.
    interruptTracee(pid);
    const stop = waitForStop(pid);
    if (stop === undefined) return impossible("the courier has ended");
    if (!isReportedAsInLinux(stop)) {
      releaseTracee(pid);
      return impossible("the kernel reports stops of traced processes otherwise than Linux");
    }
    setTraceScope(pid, "exec");
    resumeTracee(pid, stop.event === 0 ? stop.signal : 0);
    return { kind: "tracing" };
  } catch (error) {
    return impossible(`${refusalOf(error)}${letGo(pid)}`);
  }
}

/** gVisor's waitid(2) names the event alone, without the signal; ptrace(2), "PTRACE_EVENT stops". */
export function isReportedAsInLinux({ event, signal }: TraceeStop): boolean {
  return (event === 0 || event === traceEvent.stop) && signal >= 1 && signal <= MAX_SIGNAL;
}

/** The tracer finds threads, mappings and executables in /proc, by the pids that it knows. */
function procObstacle(): string | undefined {
  const view = viewOfProc();
  switch (view.kind) {
    case "own":
      return undefined;
    case "missing":
      return "/proc is not mounted, or is that of another PID namespace";
    case "untold":
      return `/proc is not readable: ${view.error.message}`;
    case "foreign":
      return `/proc is that of another PID namespace: it shows this process as ${view.shownAs}`;
  }
}

/** Lets a child run on that is traced and perhaps stopped. Empty if it does. */
function letGo(pid: number): string {
  try {
    releaseTracee(pid);
    return "";
  } catch (error) {
    return `; the courier could not be let go: ${refusalOf(error)}`;
  }
}

function impossible(reason: string): Tracing {
  return { kind: "impossible", reason };
}

function refusalOf(error: unknown): string {
  if (!(error instanceof SyscallError)) throw error;
  return error.message;
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
