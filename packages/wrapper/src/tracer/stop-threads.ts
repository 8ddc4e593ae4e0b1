import {
  interruptTracee,
  releaseTracee,
  SyscallError,
  seizeProcess,
  type TraceeStop,
  waitForStopWithin,
} from "@svc/kernel";
import { pendingSignal } from "./pending-signal.ts";
import { threadState, threadsOf, tracerOf } from "./thread-states.ts";

// In user space, or in a wait that a signal ends, a thread stops within microseconds.
const STOP_DEADLINE_MS = 50;
// The threads are started by threads: once all that are known stand, the next look finds no other.
const MAX_LOOKS = 64;

/** The processes that this one traces already. */
export interface AlreadyTraced {
  /** Followed programs and their threads: `resume` takes their stops. */
  readonly followed: ReadonlySet<number>;
  readonly resume: (stop: TraceeStop) => void;
  /**
   * Threads that were seized and did not stop in time; the code that sees their stop releases them.
   */
  readonly unsettled: Set<number>;
}

/** The outcome. Unless all are stopped, all run on. */
export type StoppedThreads =
  | { readonly kind: "stopped"; readonly threads: readonly number[]; readonly release: () => void }
  /** A thread waits in the kernel without reacting to signals, as in vfork. */
  | { readonly kind: "busy"; readonly reason: string }
  | { readonly kind: "not permitted"; readonly reason: string }
  | { readonly kind: "gone" };

/**
 * Stops every thread of a process between two instructions, for a change of its memory:
 * PTRACE_SEIZE and PTRACE_INTERRUPT, without options, so that it survives its tracer. The kernel
 * restarts system
 * calls, except for the few that return EINTR when a process is stopped and
 * continued; signal(7), "Interruption of system calls and library functions by stop signals".
 */
export function stopThreads(pid: number, traced: AlreadyTraced): StoppedThreads {
  const held = new Map<number, TraceeStop>();
  const release = () => releaseAll(held, traced);
  for (let look = 0; look < MAX_LOOKS; look++) {
    const threads = threadsOf(pid).filter((thread) => !held.has(thread));
    const states = new Map(threads.map((thread) => [thread, threadState(pid, thread)]));
    const living = threads.filter((thread) => states.get(thread) !== "ended");
    const waiting = living.find((thread) => states.get(thread) === "uninterruptible");
    if (living.length === 0) {
      if (held.size === 0) return { kind: "gone" };
      return { kind: "stopped", threads: [...held.keys()], release };
    }
    const problem =
      waiting === undefined
        ? stopAll(pid, living, held, traced)
        : busy(`thread ${waiting} waits in the kernel`);
    if (problem !== undefined) {
      release();
      return problem;
    }
  }
  release();
  return busy("it starts threads faster than they can be stopped");
}

/** Undefined if all stand, or have ended. */
function stopAll(
  pid: number,
  threads: readonly number[],
  held: Map<number, TraceeStop>,
  traced: AlreadyTraced,
): StoppedThreads | undefined {
  const interrupted: number[] = [];
  let problem: StoppedThreads | undefined;
  for (const thread of threads) {
    const result = interrupt(pid, thread, traced);
    if (result === "interrupted") interrupted.push(thread);
    else if (result !== "ended") problem = { kind: "not permitted", reason: result.reason };
    if (problem !== undefined) break;
  }
  const deadline = performance.now() + STOP_DEADLINE_MS;
  for (const thread of interrupted) {
    const stop = stopOf(thread, Math.max(0, deadline - performance.now()));
    if (stop !== undefined) {
      held.set(thread, stop);
      traced.unsettled.delete(thread);
    } else if (threadState(pid, thread) !== "ended") {
      if (!traced.followed.has(thread)) traced.unsettled.add(thread);
      problem ??= busy(`thread ${thread} does not stop`);
    }
  }
  return problem;
}

/** A thread that executes a program takes its leader's number: its own is gone then. */
function stopOf(thread: number, deadlineMs: number): TraceeStop | undefined {
  try {
    return waitForStopWithin(thread, deadlineMs);
  } catch (error) {
    if (error instanceof SyscallError && error.code === "ECHILD") return undefined;
    throw error;
  }
}

type Interruption = "interrupted" | "ended" | { readonly reason: string };

function interrupt(pid: number, thread: number, traced: AlreadyTraced): Interruption {
  try {
    // An interruption of it is under way.
    if (traced.unsettled.has(thread)) return "interrupted";
    if (!traced.followed.has(thread)) seizeProcess(thread, "stops");
    interruptTracee(thread);
    return "interrupted";
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    // A thread that is ending is refused with EPERM, one that has ended with ESRCH.
    if (error.code === "ESRCH" || threadState(pid, thread) === "ended") return "ended";
    const tracer = tracerOf(thread);
    const other = tracer === 0 ? "" : `: process ${tracer} traces it`;
    return { reason: `${error.message}${other}` };
  }
}

function releaseAll(held: Map<number, TraceeStop>, traced: AlreadyTraced): void {
  for (const [thread, stop] of held) {
    try {
      if (traced.followed.has(thread)) traced.resume(stop);
      else releaseTracee(thread, pendingSignal(stop));
    } catch (error) {
      // SIGKILL ends a thread that stands, too.
      if (!(error instanceof SyscallError) || error.code !== "ESRCH") throw error;
    }
  }
  held.clear();
}

function busy(reason: string): StoppedThreads {
  return { kind: "busy", reason };
}
