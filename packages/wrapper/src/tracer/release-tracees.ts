import {
  interruptTracee,
  pause,
  releaseTracee,
  startedProcess,
  traceEvent,
  waitForStopWithin,
} from "@svc/kernel";
import { pendingSignal } from "./pending-signal.ts";
import { isGone } from "./stopped-program.ts";
import { threadState } from "./thread-states.ts";

const DEADLINE_MS = 1000;
const PAUSE_MS = 1;

/** The events after which a new process is traced. */
const startEvents: ReadonlySet<number> = new Set([
  traceEvent.fork,
  traceEvent.vfork,
  traceEvent.clone,
]);

/**
 * Detaches from processes and their new children, so that they live on without their tracer. One
 * that does not stop in time dies with the tracer, as one whose tracer is killed.
 */
export function releaseTracees(pids: Iterable<number>): void {
  const waiting = new Set<number>();
  for (const pid of pids) {
    if (doesNotThrowGone(() => interruptTracee(pid))) waiting.add(pid);
  }
  // In any order of their stops: one that waits in vfork stops only after its child is released.
  for (const end = performance.now() + DEADLINE_MS; ; pause(PAUSE_MS)) {
    // The loop also takes processes that it adds.
    for (const pid of waiting) {
      if (!doesNotThrowGone(() => release(pid, waiting))) waiting.delete(pid);
    }
    if (waiting.size === 0 || performance.now() >= end) return;
  }
}

function release(pid: number, waiting: Set<number>): void {
  const stop = waitForStopWithin(pid, 0);
  if (stop !== undefined) {
    if (startEvents.has(stop.event)) waiting.add(startedProcess(pid));
    releaseTracee(pid, pendingSignal(stop));
    waiting.delete(pid);
  } else if (threadState(pid, pid) === "ended") waiting.delete(pid);
}

function doesNotThrowGone(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
