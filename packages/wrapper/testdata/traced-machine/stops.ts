import type { MachineState } from "./state.ts";
import type { End, Process, Stop, Thread } from "./thread.ts";

export const SIGTRAP = 5;
const SIGKILL = 9;
const SIGCONT = 18;
export const EVENT_STOP = 128;
const SIGNALS_OF_STOP: ReadonlySet<number> = new Set([19, 20, 21, 22]);
/** SIGCHLD, SIGCONT, SIGURG, SIGWINCH */
const IGNORED: ReadonlySet<number> = new Set([17, 18, 23, 28]);

/** Lets a traced thread stand for its tracer. */
export function stopThread(
  state: MachineState,
  thread: Thread,
  stop: Partial<Stop> & Pick<Stop, "signal">,
): void {
  thread.stop = {
    ...{ event: 0, message: 0, at: "elsewhere", goOn: () => undefined },
    ...stop,
    isTold: false,
  };
  state.childSignal = true;
}

/** PTRACE_CONT, PTRACE_SYSCALL, PTRACE_DETACH. */
export function goOnFromStop(thread: Thread, signal: number): void {
  const { stop } = thread;
  if (stop === undefined) return;
  thread.stop = undefined;
  thread.next = () => stop.goOn(signal);
}

/** kill(2), tgkill(2). */
export function signalThread(state: MachineState, thread: Thread, signal: number): void {
  if (thread.process.end !== undefined || signal === 0) return;
  if (signal === SIGKILL) {
    endProcess(state, thread.process, { signal });
    return;
  }
  if (signal === SIGCONT) continueThread(state, thread);
  thread.pending.push(signal);
  if (thread.wait?.kind === "sleep" && !thread.blocks(signal)) thread.wait = undefined;
}

function continueThread(state: MachineState, thread: Thread): void {
  thread.pending = thread.pending.filter((signal) => !SIGNALS_OF_STOP.has(signal));
  if (thread.wait?.kind !== "stopped") return;
  thread.wait = undefined;
  if (thread.traced !== undefined)
    stopThread(state, thread, { signal: SIGTRAP, event: EVENT_STOP });
}

/** A signal that an instruction causes is not blocked, and no longer so afterwards. */
export function forceSignal(thread: Thread, signal: number): void {
  thread.mask &= ~(1n << BigInt(signal - 1));
  thread.pending.unshift(signal);
}

/**
 * The signals of a thread that is about to run its program: true if it does not run now.
 */
export function takesSignal(state: MachineState, thread: Thread): boolean {
  const index = thread.pending.findIndex((signal) => !thread.blocks(signal));
  if (index >= 0) {
    const [signal = 0] = thread.pending.splice(index, 1);
    if (thread.traced === undefined) deliver(state, thread, signal);
    else stopThread(state, thread, { signal, goOn: (given) => deliver(state, thread, given) });
    return true;
  }
  if (!thread.isInterrupted) return false;
  thread.isInterrupted = false;
  stopThread(state, thread, { signal: SIGTRAP, event: EVENT_STOP });
  return true;
}

function deliver(state: MachineState, thread: Thread, signal: number): void {
  if (signal === 0) return;
  if (SIGNALS_OF_STOP.has(signal)) {
    if (thread.traced === undefined) thread.wait = { kind: "stopped" };
    else stopThread(state, thread, { signal, event: EVENT_STOP });
    return;
  }
  if (thread.process.handlers.has(signal)) thread.handled.push(signal);
  else if (!IGNORED.has(signal)) endProcess(state, thread.process, { signal });
}

/** Ends a process, and all that waits for it goes on. */
export function endProcess(state: MachineState, process: Process, end: End): void {
  if (process.end !== undefined) return;
  process.end = end;
  for (const thread of process.threads) endThread(state, thread);
  for (const child of state.processes.values()) {
    if (child.parent === process.pid) child.parent = state.self;
  }
  releaseVfork(state, process);
  // Another parent than this process waits for its children at once.
  process.isReaped = process.parent !== state.self && process.leader.traced === undefined;
  state.childSignal ||= !process.isReaped;
}

/** Ends one thread. */
export function endThread(state: MachineState, thread: Thread): void {
  // A tracer hears of the end of each thread; a first thread ends with its process.
  if (thread.traced !== undefined && !thread.isDead && thread.tid !== thread.process.pid) {
    state.endedThreads.add(thread.tid);
    state.childSignal = true;
  }
  thread.isDead = true;
  thread.stop = undefined;
  thread.wait = undefined;
  thread.next = undefined;
  state.announced = state.announced.filter((one) => one.thread !== thread);
}

/** The parent of a vfork goes on. */
export function releaseVfork(state: MachineState, child: Process): void {
  for (const thread of state.threads) {
    if (thread.wait?.kind === "vfork" && thread.wait.child === child) thread.wait = undefined;
  }
}
