import { CallError } from "./call-error.ts";
import { runMachine } from "./run-machine.ts";
import { LISTENER_FD, type MachineState, SIGNALS_FD } from "./state.ts";
import type { Process, Thread } from "./thread.ts";

const EAGAIN = 11;
const ECHILD = 10;
const P_PID = 1;
const WNOHANG = 1;
const WSTOPPED = 2;
const WEXITED = 4;
const WNOWAIT = 0x0100_0000;
const CLD_EXITED = 1;
const CLD_KILLED = 2;
const CLD_TRAPPED = 4;
const POLLIN = 1;
const POLLHUP = 16;

/** waitid(2) of this process, which is the only one that waits. */
export function waitFor(
  state: MachineState,
  kind: number,
  id: number,
  options: number,
): Change | undefined {
  runMachine(state);
  const found = changeOf(state, kind === P_PID ? id : undefined, options);
  if (found !== undefined) return found;
  if (!hasAny(state, kind === P_PID ? id : undefined, options)) throw new CallError(ECHILD);
  if ((options & WNOHANG) !== 0) return undefined;
  state.isHung = true;
  throw new Error(`the tracer waits for ever for ${id}`);
}

type Change = readonly [code: number, pid: number, status: number];

function changeOf(
  state: MachineState,
  id: number | undefined,
  options: number,
): Change | undefined {
  for (const process of state.processes.values()) {
    const change = stopIn(process, id, options) ?? endOf(state, process, id, options);
    if (change !== undefined) return change;
  }
  return (options & WEXITED) === 0 ? undefined : endedThread(state, id, options);
}

function endedThread(
  state: MachineState,
  id: number | undefined,
  options: number,
): Change | undefined {
  const [tid] = [...state.endedThreads].filter((ended) => (id ?? ended) === ended);
  if (tid === undefined) return undefined;
  if ((options & WNOWAIT) === 0) state.endedThreads.delete(tid);
  return [CLD_KILLED, tid, 9];
}

function stopIn(process: Process, id: number | undefined, options: number): Change | undefined {
  if ((options & WSTOPPED) === 0) return undefined;
  for (const { tid, traced, stop } of process.threads) {
    if ((id ?? tid) !== tid || traced === undefined || stop === undefined || stop.isTold) continue;
    stop.isTold = (options & WNOWAIT) === 0;
    return [CLD_TRAPPED, tid, stop.signal | (stop.event << 8)];
  }
  return undefined;
}

function endOf(
  state: MachineState,
  process: Process,
  id: number | undefined,
  options: number,
): Change | undefined {
  const { end, pid } = process;
  const isSought = (id ?? pid) === pid && (options & WEXITED) !== 0;
  if (end === undefined || !isSought || !isWaitable(state, process)) return undefined;
  process.isReaped = (options & WNOWAIT) === 0;
  if (end.signal === undefined) return [CLD_EXITED, pid, end.code ?? 0];
  return [CLD_KILLED, pid, end.signal];
}

function isWaitable(state: MachineState, process: Process): boolean {
  return !process.isReaped && (process.parent === state.self || isTraced(process.leader));
}

function isTraced({ traced }: Thread): boolean {
  return traced !== undefined;
}

/** A wait for stops alone passes over one that has ended; do_wait of the kernel. */
function hasAny(state: MachineState, id: number | undefined, options: number): boolean {
  return [...state.processes.values()].some((process) => {
    const isSought = process.end === undefined || (options & WEXITED) !== 0;
    const isOwn = isSought && isWaitable(state, process) && (id ?? process.pid) === process.pid;
    const threads = process.threads.filter((thread) => isTraced(thread) && !thread.isDead);
    return isOwn || threads.some(({ tid }) => (id ?? tid) === tid);
  });
}

/** poll(2): the events of each descriptor. A wait lets the clock go on. */
export function pollAll(state: MachineState, fds: readonly number[], limitMs: number) {
  runMachine(state);
  const found = fds.map((fd) => eventsOf(state, fd));
  if (found.every((events) => events === 0)) state.nowMs += Math.max(0, limitMs);
  return found;
}

/** The events of a descriptor; poll(2). */
export function eventsOf(state: MachineState, fd: number): number {
  if (fd === SIGNALS_FD) return state.childSignal ? POLLIN : 0;
  if (fd !== LISTENER_FD || !state.isListenerOpen) return 0;
  if (state.announced.some(({ isTaken }) => !isTaken)) return POLLIN;
  return state.living.some(({ isAnnounced }) => isAnnounced) ? 0 : POLLHUP;
}

/** read(2) of the descriptor that hears of SIGCHLD. */
export function readSignals(state: MachineState): number {
  if (!state.childSignal) throw new CallError(EAGAIN);
  state.childSignal = false;
  return 128;
}
