import { addressOf, libc } from "#native";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";

// linux/ptrace.h; the numbers are the same on every architecture.
const PTRACE_PEEKDATA = 2;
const PTRACE_POKEDATA = 5;
const PTRACE_CONT = 7;
const PTRACE_DETACH = 17;
const PTRACE_SYSCALL = 24;
const PTRACE_SETOPTIONS = 0x4200;
const PTRACE_GETEVENTMSG = 0x4201;
const PTRACE_GETREGSET = 0x4204;
const PTRACE_SETREGSET = 0x4205;
const PTRACE_SEIZE = 0x4206;
const PTRACE_INTERRUPT = 0x4207;
const PTRACE_LISTEN = 0x4208;
const PTRACE_GETSIGMASK = 0x420a;
const PTRACE_SETSIGMASK = 0x420b;
const PTRACE_GET_SYSCALL_INFO = 0x420e;

const PTRACE_O_TRACESYSGOOD = 0x01;
const PTRACE_O_TRACEFORK = 0x02;
const PTRACE_O_TRACEVFORK = 0x04;
const PTRACE_O_TRACECLONE = 0x08;
const PTRACE_O_TRACEEXEC = 0x10;
const PTRACE_O_EXITKILL = 0x10_0000;

const NT_PRSTATUS = 1;
const WORD_BYTES = 8;
// Larger than the registers of any architecture: the kernel says how much it filled.
const REGISTER_ROOM_BYTES = 1024;
// The kernel's own sigset_t, not libc's.
const SIGNAL_MASK_BYTES = 8;
const SYSCALL_INFO_BYTES = 88;
const SYSCALL_INFO_ENTRY = 1;

/** The events of PTRACE_EVENT stops that this project asks for. */
export const traceEvent = { fork: 1, vfork: 2, clone: 3, exec: 4, stop: 128 } as const;

/** Set in the signal of a stop at a system call's entry or exit (PTRACE_O_TRACESYSGOOD). */
export const systemCallStop = 0x80;

/** The visible events of a traced process. It dies with its tracer, but in the first case. */
export type TraceScope =
  /** Its stops only: it lives on without its tracer. */
  | "stops"
  /** Signals only. */
  | "signals"
  /** And every execve. */
  | "exec"
  /** And every process and thread that it starts, which are traced from their start. */
  | "exec and children";

const scopeOptions: Readonly<Record<TraceScope, number>> = {
  stops: 0,
  signals: PTRACE_O_EXITKILL,
  exec: PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC,
  "exec and children":
    PTRACE_O_EXITKILL |
    PTRACE_O_TRACESYSGOOD |
    PTRACE_O_TRACEEXEC |
    PTRACE_O_TRACEFORK |
    PTRACE_O_TRACEVFORK |
    PTRACE_O_TRACECLONE,
};

/**
 * Becomes the tracer of a process, which goes on running; PTRACE_SEIZE.
 *
 * @throws SyscallError `EPERM` if the process is not dumpable, another one traces it, or
 * kernel.yama.ptrace_scope or a seccomp filter forbids it.
 */
export function seizeProcess(pid: number, scope: TraceScope): void {
  request(PTRACE_SEIZE, pid, 0, scopeOptions[scope]);
}

/** Makes a traced process stop, with `traceEvent.stop`; PTRACE_INTERRUPT. */
export function interruptTracee(pid: number): void {
  request(PTRACE_INTERRUPT, pid, 0, 0);
}

/** Changes the visible events of a stopped process; PTRACE_SETOPTIONS. */
export function setTraceScope(pid: number, scope: TraceScope): void {
  request(PTRACE_SETOPTIONS, pid, 0, scopeOptions[scope]);
}

/** Lets a stopped process run on; `signal` is delivered to it, 0 delivers none. PTRACE_CONT. */
export function resumeTracee(pid: number, signal = 0): void {
  request(PTRACE_CONT, pid, 0, signal);
}

/** Lets a stopped process run to the next entry or exit of a system call; PTRACE_SYSCALL. */
export function resumeToSystemCall(pid: number, signal = 0): void {
  request(PTRACE_SYSCALL, pid, 0, signal);
}

/** Leaves a process that job control has stopped in that stop, until SIGCONT; PTRACE_LISTEN. */
export function leaveStopped(pid: number): void {
  request(PTRACE_LISTEN, pid, 0, 0);
}

/** Stops tracing a stopped process and lets it run on; PTRACE_DETACH. */
export function releaseTracee(pid: number, signal = 0): void {
  request(PTRACE_DETACH, pid, 0, signal);
}

/** The pid of a process's new child, in one of the events for that; PTRACE_GETEVENTMSG. */
export function startedProcess(pid: number): number {
  const message = new BigUint64Array(1);
  request(PTRACE_GETEVENTMSG, pid, 0, addressOf(message));
  return Number(message[0]);
}

/**
 * The general registers of a stopped process, as long as its architecture has them; NT_PRSTATUS.
 */
export function readRegisters(pid: number): Uint8Array {
  const room = new Uint8Array(REGISTER_ROOM_BYTES);
  const vector = vectorOf(room);
  request(PTRACE_GETREGSET, pid, NT_PRSTATUS, addressOf(vector));
  return room.slice(0, Number(vector[1]));
}

/** Replaces the general registers of a stopped process; NT_PRSTATUS. */
export function writeRegisters(pid: number, registers: Uint8Array): void {
  const vector = vectorOf(registers);
  request(PTRACE_SETREGSET, pid, NT_PRSTATUS, addressOf(vector));
}

/** The signals that a stopped process blocks, as the kernel keeps them; PTRACE_GETSIGMASK. */
export function readSignalMask(pid: number): Uint8Array {
  const mask = new Uint8Array(SIGNAL_MASK_BYTES);
  request(PTRACE_GETSIGMASK, pid, SIGNAL_MASK_BYTES, addressOf(mask));
  return mask;
}

/** Replaces the signals that a stopped process blocks; PTRACE_SETSIGMASK. */
export function writeSignalMask(pid: number, mask: Uint8Array): void {
  request(PTRACE_SETSIGMASK, pid, SIGNAL_MASK_BYTES, addressOf(mask));
}

/**
 * Reads the word at an address of a stopped process; PTRACE_PEEKDATA. Not /proc/PID/mem: that asks
 * for CAP_SYS_PTRACE once the process has changed its user.
 */
export function peekWord(pid: number, address: number): bigint {
  const word = BigInt(libc.ptrace(PTRACE_PEEKDATA, pid, address, 0));
  // ptrace(2): for this request glibc returns the word, and sets errno to 0 if that is -1.
  if (word !== -1n) return BigInt.asUintN(64, word);
  const errno = lastErrno();
  if (errno !== 0) throw new SyscallError("ptrace", errno);
  return BigInt.asUintN(64, word);
}

/**
 * Overwrites memory of a stopped process regardless of its protection, program text included;
 * PTRACE_POKEDATA. The length must be a multiple of 8.
 */
export function pokeBytes(pid: number, address: number, bytes: Uint8Array): void {
  if (bytes.length % WORD_BYTES !== 0) throw new RangeError("not a whole number of words");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += WORD_BYTES) {
    // A word has no number: it goes as the 64-bit argument that it is.
    const word = view.getBigUint64(at, true);
    checked("ptrace", libc.ptrace(PTRACE_POKEDATA, pid, address + at, word));
  }
}

/** A system call that a stopped process is about to make. */
export interface EnteredSystemCall {
  readonly number: number;
  readonly arguments: readonly bigint[];
}

/**
 * The system call at whose entry a process stands; undefined at an exit. PTRACE_GET_SYSCALL_INFO.
 *
 * @throws SyscallError `EIO` before Linux 5.3.
 */
export function enteredSystemCall(pid: number): EnteredSystemCall | undefined {
  const info = new Uint8Array(SYSCALL_INFO_BYTES);
  request(PTRACE_GET_SYSCALL_INFO, pid, info.length, addressOf(info));
  if (info[0] !== SYSCALL_INFO_ENTRY) return undefined;
  const view = new DataView(info.buffer);
  return {
    number: Number(view.getBigUint64(24, true)),
    arguments: Array.from({ length: 6 }, (_, index) => view.getBigUint64(32 + 8 * index, true)),
  };
}

function request(operation: number, pid: number, address: number, data: number): number {
  return checked("ptrace", libc.ptrace(operation, pid, address, data));
}

/** struct iovec: base, length. */
function vectorOf(bytes: Uint8Array): BigUint64Array {
  return BigUint64Array.of(BigInt(addressOf(bytes)), BigInt(bytes.length));
}
