import { bytesAt } from "@svc/kernel/testdata";
import { CallError } from "./call-error.ts";
import { Fault } from "./memory.ts";
import type { MachineState } from "./state.ts";
import { goOnFromStop } from "./stops.ts";
import type { Thread } from "./thread.ts";

const EPERM = 1;
const ESRCH = 3;
const EIO = 5;
const EINVAL = 22;
const EVENT_STOP = 128;
const SIGTRAP = 5;
/** SIGKILL and SIGSTOP cannot be blocked. */
const NEVER_BLOCKED = (1n << 8n) | (1n << 18n);
const SYSCALL_INFO_ENTRY = 1;
const SYSCALL_INFO_EXIT = 2;

/** The names of the requests; linux/ptrace.h. */
export const requestNames: Readonly<Record<number, string>> = {
  2: "PEEKDATA",
  5: "POKEDATA",
  7: "CONT",
  17: "DETACH",
  24: "SYSCALL",
  16896: "SETOPTIONS",
  16897: "GETEVENTMSG",
  16900: "GETREGSET",
  16901: "SETREGSET",
  16902: "SEIZE",
  16903: "INTERRUPT",
  16904: "LISTEN",
  16906: "GETSIGMASK",
  16907: "SETSIGMASK",
  16910: "GET_SYSCALL_INFO",
};

/** The arguments of ptrace(2) behind the request. */
export interface Words {
  readonly tid: number;
  readonly address: number;
  readonly data: number | bigint;
}

/** ptrace(2). */
export function ptrace(state: MachineState, request: string, words: Words): bigint {
  if (request === "SEIZE") return seize(state, words);
  const thread = state.tracee(words.tid);
  if (thread === undefined) throw new CallError(ESRCH);
  if (request === "INTERRUPT") {
    thread.isInterrupted = thread.stop === undefined;
    return 0n;
  }
  if (thread.stop === undefined) throw new CallError(ESRCH);
  return stopped(state, thread, request, words);
}

function stopped(state: MachineState, thread: Thread, request: string, words: Words): bigint {
  const { address, data } = words;
  switch (request) {
    case "CONT":
    case "SYSCALL":
      thread.stopsAtCalls = request === "SYSCALL";
      goOnFromStop(thread, Number(data));
      return 0n;
    case "DETACH":
      detach(thread, Number(data));
      return 0n;
    case "LISTEN":
      if (thread.stop?.event !== EVENT_STOP) throw new CallError(EIO);
      thread.stop = undefined;
      thread.wait = { kind: "stopped" };
      return 0n;
    case "SETOPTIONS":
      thread.traced = Number(data);
      return 0n;
    case "PEEKDATA":
      return memoryOf(thread, () => thread.memory.word(address));
    case "POKEDATA":
      memoryOf(thread, () => thread.memory.setWord(address, BigInt(data)));
      return 0n;
    default:
      return about(state, thread, request, words);
  }
}

function about(state: MachineState, thread: Thread, request: string, words: Words): bigint {
  const { data } = words;
  switch (request) {
    case "GETEVENTMSG":
      new DataView(bytesAt(Number(data), 8).buffer).setBigUint64(
        0,
        BigInt(thread.stop?.message ?? 0),
        true,
      );
      return 0n;
    case "GETREGSET": {
      const vector = new BigUint64Array(bytesAt(Number(data), 16).buffer);
      const length = Math.min(Number(vector[1]), thread.registers.length);
      bytesAt(Number(vector[0]), length).set(thread.registers.subarray(0, length));
      vector[1] = BigInt(length);
      return 0n;
    }
    case "SETREGSET": {
      const vector = new BigUint64Array(bytesAt(Number(data), 16).buffer);
      if (Number(vector[1]) !== thread.registers.length) throw new CallError(EINVAL);
      thread.registers.set(bytesAt(Number(vector[0]), thread.registers.length));
      return 0n;
    }
    case "GETSIGMASK":
      new DataView(bytesAt(Number(data), 8).buffer).setBigUint64(0, thread.mask, true);
      return 0n;
    case "SETSIGMASK":
      thread.mask = new DataView(bytesAt(Number(data), 8).buffer).getBigUint64(0, true);
      thread.mask &= ~NEVER_BLOCKED;
      return 0n;
    case "GET_SYSCALL_INFO":
      return systemCallInfo(thread, Number(data));
    default:
      throw new TypeError(`${state.self}: the machine does not know ptrace ${request}`);
  }
}

function systemCallInfo(thread: Thread, address: number): bigint {
  const info = new DataView(bytesAt(address, 88).buffer);
  const isEntry = thread.stop?.at === "entry";
  info.setUint8(0, isEntry ? SYSCALL_INFO_ENTRY : SYSCALL_INFO_EXIT);
  if (!isEntry || thread.call === undefined) return 33n;
  info.setBigUint64(24, BigInt(thread.call.number), true);
  thread.call.parameters.forEach((word, index) => {
    info.setBigInt64(32 + 8 * index, BigInt(word), true);
  });
  return 80n;
}

function seize(state: MachineState, { tid, data }: Words): bigint {
  const thread = state.thread(tid);
  if (thread === undefined || thread.process.isReaped) throw new CallError(ESRCH);
  const { real, effective, saved } = thread.process;
  const isOfUser = [real, effective, saved].every((id) => id === state.actingUser);
  const isAllowed = state.tracesAllUsers || (isOfUser && thread.process.tracer === undefined);
  if (thread.isDead || thread.traced !== undefined || !isAllowed) throw new CallError(EPERM);
  if (thread.process.tracer !== undefined) throw new CallError(EPERM);
  thread.traced = Number(data);
  return 0n;
}

/** A thread that stands by job control stands on, without its tracer. */
function detach(thread: Thread, signal: number): void {
  const { stop } = thread;
  thread.traced = undefined;
  thread.stopsAtCalls = false;
  const isOfJob = stop?.event === EVENT_STOP && stop.signal !== SIGTRAP;
  goOnFromStop(thread, signal);
  if (!isOfJob) return;
  thread.next = undefined;
  thread.wait = { kind: "stopped" };
}

function memoryOf<T>({ process }: Thread, access: () => T): T {
  if (process.isUnreadable) throw new CallError(EIO);
  try {
    return access();
  } catch (error) {
    if (error instanceof Fault) throw new CallError(EIO);
    throw error;
  }
}
