import { addressOf, libc, processId } from "#native";
import { ESRCH } from "../libc/errno.ts";
import { checked, SyscallError } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";
import { SIGCHLD } from "./signal-numbers.ts";

const SIGSET_BYTES = 128;
const SIGACTION_BYTES = 152;
const SIG_BLOCK = 0;
const SIG_SETMASK = 2;
const SIG_IGN = 1n;
/** siginfo_t: signal, errno, code, pid, user, value. */
const SIGINFO_BYTES = 128;
const SI_QUEUE = -1;
// struct kernel_sigaction: handler, flags, restorer, mask.
const KERNEL_SIGACTION_BYTES = 32;

/** A set of signals as libc keeps it; sigsetops(3). */
export type SignalSet = Uint8Array;

/** Builds a set of signal numbers. */
export function signalSet(signals: Iterable<number>): SignalSet {
  const set = new Uint8Array(SIGSET_BYTES);
  for (const signal of signals) {
    const byte = (signal - 1) >> 3;
    set[byte] = (set[byte] ?? 0) | (1 << ((signal - 1) & 7));
  }
  return set;
}

/** The signals that this thread blocks; pthread_sigmask(3). */
export function blockedSignals(): SignalSet {
  const set = new Uint8Array(SIGSET_BYTES);
  checkedNumber("pthread_sigmask", libc.pthread_sigmask(SIG_SETMASK, null, set));
  return set;
}

/** Blocks more signals for this thread; pthread_sigmask(3). */
export function blockSignals(set: SignalSet): void {
  checkedNumber("pthread_sigmask", libc.pthread_sigmask(SIG_BLOCK, set, null));
}

/** Replaces the mask of this thread; pthread_sigmask(3). */
export function setBlockedSignals(set: SignalSet): void {
  checkedNumber("pthread_sigmask", libc.pthread_sigmask(SIG_SETMASK, set, null));
}

/** True when the signal is ignored; sigaction(2). */
export function isIgnored(signal: number): boolean {
  const action = new BigUint64Array(SIGACTION_BYTES / 8);
  checked("sigaction", libc.sigaction(signal, null, action));
  return action[0] === SIG_IGN;
}

/** Ignores a signal, or gives it its default action; sigaction(2). */
export function setIgnored(signal: number, ignored: boolean): void {
  const action = new BigUint64Array(SIGACTION_BYTES / 8);
  action[0] = ignored ? SIG_IGN : 0n;
  checked("sigaction", libc.sigaction(signal, action, null));
}

/**
 * Gives SIGCHLD its default action. A parent that ignores it hands that on through execve, and then
 * the kernel reaps every child itself: wait(2) finds none, and a tracer hears of no stop.
 */
export function hearOfChildren(): void {
  setIgnored(SIGCHLD, false);
}

/**
 * Gives signal 32 its default action. glibc keeps it for itself, refuses it to sigaction, and its
 * posix_spawn leaves it ignored in the child, in which it would stay so for every program after it.
 */
export function resetReservedSignal(): void {
  const { rt_sigaction } = systemCallTable();
  const action = new Uint8Array(KERNEL_SIGACTION_BYTES);
  checked("rt_sigaction", libc.syscall(rt_sigaction, 32, addressOf(action), 0, 8, 0, 0));
}

/**
 * Sends a signal; a negative pid means that process group. False if no process is left; kill(2).
 *
 * @param value goes to one process with the signal, sigqueue(3). If the kernel keeps no more queued
 * signals for the user, or a seccomp filter refuses the call, the signal goes without its value.
 */
export function sendSignal(pid: number, signal: number, value?: bigint): boolean {
  try {
    if (value === undefined || !queueSignal(pid, signal, value)) {
      checked("kill", libc.kill(pid, signal));
    }
    return true;
  } catch (error) {
    if (error instanceof SyscallError && error.errno === ESRCH) return false;
    throw error;
  }
}

/** False if the signal has to go without its value; rt_sigqueueinfo(2). */
function queueSignal(pid: number, signal: number, value: bigint): boolean {
  const info = new DataView(new ArrayBuffer(SIGINFO_BYTES));
  info.setInt32(0, signal, true);
  info.setInt32(8, SI_QUEUE, true);
  info.setInt32(16, processId(), true);
  info.setUint32(20, libc.geteuid(), true);
  info.setBigUint64(24, value, true);
  const { rt_sigqueueinfo } = systemCallTable();
  // A small result of type long is a bigint on Bun, and a number on the engine.
  return Number(libc.syscall(rt_sigqueueinfo, pid, signal, addressOf(info), 0, 0, 0)) === 0;
}

/** pthread functions return the error instead of setting errno. */
function checkedNumber(call: string, result: number): void {
  if (result !== 0) throw new SyscallError(call, result);
}
