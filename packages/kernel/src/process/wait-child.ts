import { addressOf, libc } from "#native";
import { ECHILD, EINTR } from "../libc/errno.ts";
import { isRefused } from "../libc/is-refused.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";
import { pause } from "./pause.ts";

const P_ALL = 0;
const P_PID = 1;
const WNOHANG = 1;
const WSTOPPED = 2;
const WEXITED = 4;
const WCONTINUED = 8;
/** A flag of wait4(2). */
const WUNTRACED = 2;
const EVERY_CHILD = -1;
const WNOWAIT = 0x0100_0000;
// siginfo_t of SIGCHLD on 64-bit Linux.
const SI_CODE = 2;
const SI_PID = 4;
const SI_STATUS = 6;
const POLLIN = 1;
const SFD_NONBLOCK = 0o4000;
const SFD_CLOEXEC = 0o2000000;
/** The kernel's sigset_t. */
const MASK_BYTES = 8;
/** SIGCHLD alone. */
const childSignal = Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0);
/** struct signalfd_siginfo, which is not looked at. */
const signalRoom = new Uint8Array(128);

/** Ends that wait4 has reaped while it waited for a stop. */
const ends: ChildChange[] = [];

/** A change of a child. */
export type ChildChange =
  | { readonly kind: "exited"; readonly pid: number; readonly code: number }
  | { readonly kind: "killed"; readonly pid: number; readonly signal: number }
  | { readonly kind: "stopped"; readonly pid: number; readonly signal: number }
  | { readonly kind: "continued"; readonly pid: number }
  | TraceeStop;

/** A stop of a process that this one traces; ptrace(2). */
export interface TraceeStop {
  readonly kind: "traced";
  readonly pid: number;
  /** The signal that is about to be delivered; with bit 7 set, a system call's entry or exit. */
  readonly signal: number;
  /** The PTRACE_EVENT; 0 for none. */
  readonly event: number;
}

/**
 * Takes one change of any child and reaps ended ones, orphans included; waitid(2). Undefined
 * if nothing has changed.
 */
export function nextChildChange(): ChildChange | undefined {
  const info = new Int32Array(32);
  const options = WEXITED | WSTOPPED | WCONTINUED | WNOHANG;
  if (libc.waitid(P_ALL, 0, info, options) < 0) {
    const errno = lastErrno();
    if (errno === ECHILD) return undefined;
    if (isRefused(errno)) return nextByWait4();
    throw new SyscallError("waitid", errno);
  }
  const pid = info[SI_PID] ?? 0;
  return pid === 0 ? undefined : changeOf(pid, info[SI_CODE] ?? 0, info[SI_STATUS] ?? 0);
}

/** The same if a filter refuses waitid; wait4(2). */
function nextByWait4(): ChildChange | undefined {
  return ends.shift() ?? waitByWait4(EVERY_CHILD, WNOHANG | WUNTRACED | WCONTINUED);
}

/** Undefined if nothing has changed yet, with WNOHANG, or there is no such child. */
function waitByWait4(pid: number, options: number): ChildChange | undefined {
  const status = new Int32Array(1);
  const { wait4 } = systemCallTable();
  for (;;) {
    const found = Number(libc.syscall(wait4, pid, addressOf(status), options, 0, 0, 0));
    if (found >= 0) return found === 0 ? undefined : changeOfStatus(found, status[0] ?? 0);
    const errno = lastErrno();
    if (errno === ECHILD) return undefined;
    if (errno !== EINTR) throw new SyscallError("wait4", errno);
  }
}

/** The status of wait(2): the macros of its manual page. */
export function changeOfStatus(pid: number, status: number): ChildChange {
  if (status === 0xffff) return { kind: "continued", pid };
  if ((status & 0xff) === 0x7f) {
    const [signal, event] = [(status >> 8) & 0xff, status >> 16];
    return event === 0 ? { kind: "stopped", pid, signal } : { kind: "traced", pid, signal, event };
  }
  const signal = status & 0x7f;
  return signal === 0
    ? { kind: "exited", pid, code: (status >> 8) & 0xff }
    : { kind: "killed", pid, signal };
}

/**
 * Waits for the next stop of one traced process; waitid(2). Undefined if it has ended instead:
 * its end is left for nextChildChange.
 *
 * @throws SyscallError if a filter refuses waitid. The process has stopped or ended then, too.
 */
export function waitForStop(pid: number): TraceeStop | undefined {
  const info = new Int32Array(32);
  // First a look only: one place reaps a child that ends meanwhile.
  try {
    waitOnce(pid, info, WEXITED | WSTOPPED | WNOWAIT);
  } catch (error) {
    if (error instanceof SyscallError && isRefused(error.errno)) awaitStop(pid);
    throw error;
  }
  const seen = changeOf(pid, info[SI_CODE] ?? 0, info[SI_STATUS] ?? 0);
  if (seen.kind !== "traced") return undefined;
  waitOnce(pid, info, WSTOPPED);
  return seen;
}

/** Without waitid nothing can be traced: a process is let go once it has stopped. */
function awaitStop(pid: number): void {
  const change = waitByWait4(pid, WUNTRACED);
  if (change?.kind === "exited" || change?.kind === "killed") ends.push(change);
}

/**
 * Takes the next stop of one traced process if it comes in time; waitid(2). Undefined if it does
 * not, or if the process has ended.
 */
export function waitForStopWithin(pid: number, deadlineMs: number): TraceeStop | undefined {
  const info = new Int32Array(32);
  for (const end = performance.now() + deadlineMs; ; pause(1)) {
    waitOnce(pid, info, WEXITED | WSTOPPED | WNOWAIT | WNOHANG);
    if (info[SI_PID] === pid) return waitForStop(pid);
    if (performance.now() >= end) return undefined;
  }
}

/** The result of a short wait for a stop. */
export interface SoonStop {
  /** Undefined if it did not come in time, or there is no such child. */
  readonly stop: TraceeStop | undefined;
  /** True if a SIGCHLD has been taken: other children may have changed, too. */
  readonly tookSignal: boolean;
}

/** The source of a stop, and the longest wait for it. */
export interface SoonOptions {
  /** The descriptor of openChildSignals. */
  readonly signals: number;
  /** The wait ends, too, once this descriptor can be read. */
  readonly other: number;
  readonly limitMs: number;
}

/**
 * A descriptor that can be read while a SIGCHLD is pending, which has to be blocked; signalfd(2).
 */
export function openChildSignals(): number {
  const { signalfd4 } = systemCallTable();
  const mask = addressOf(childSignal);
  const flags = SFD_NONBLOCK | SFD_CLOEXEC;
  return checked("signalfd", libc.syscall(signalfd4, -1, mask, MASK_BYTES, flags, 0, 0));
}

/** Takes the next stop of one traced process if it comes in time; waitid(2), poll(2). */
export function waitForStopSoon(pid: number, { signals, other, limitMs }: SoonOptions): SoonStop {
  const info = new Int32Array(32);
  const end = performance.now() + limitMs;
  for (let tookSignal = false; ; tookSignal = true) {
    if (libc.waitid(P_PID, pid, info, WSTOPPED | WNOHANG) < 0) {
      return { stop: undefined, tookSignal };
    }
    if (info[SI_PID] === pid) {
      const change = changeOf(pid, info[SI_CODE] ?? 0, info[SI_STATUS] ?? 0);
      return { stop: change.kind === "traced" ? change : undefined, tookSignal };
    }
    const restMs = Math.ceil(end - performance.now());
    if (restMs <= 0 || pollTwo(signals, other, restMs) !== signals) {
      return { stop: undefined, tookSignal };
    }
    libc.read(signals, signalRoom, signalRoom.length);
  }
}

/** The first of the two that can be read; undefined if none can in time. */
function pollTwo(first: number, second: number, limitMs: number): number | undefined {
  const entries = new DataView(new ArrayBuffer(16));
  [first, second].forEach((fd, index) => {
    entries.setInt32(8 * index, fd, true);
    entries.setInt16(8 * index + 4, POLLIN, true);
  });
  libc.poll(new Uint8Array(entries.buffer), 2, limitMs);
  const isReadable = (index: number) => entries.getInt16(8 * index + 6, true) !== 0;
  if (isReadable(0)) return first;
  return isReadable(1) ? second : undefined;
}

function waitOnce(pid: number, info: Int32Array, options: number): void {
  while (libc.waitid(P_PID, pid, info, options) < 0) {
    const errno = lastErrno();
    if (errno !== EINTR) throw new SyscallError("waitid", errno);
  }
}

/** The CLD_ codes of sigaction(2). */
function changeOf(pid: number, code: number, status: number): ChildChange {
  switch (code) {
    case 1:
      return { kind: "exited", pid, code: status };
    case 2:
    case 3:
      return { kind: "killed", pid, signal: status };
    case 4:
      return traceeStop(pid, status);
    case 5:
      return { kind: "stopped", pid, signal: status };
    case 6:
      return { kind: "continued", pid };
    default:
      throw new RangeError(`waitid: unknown si_code ${code}`);
  }
}

/** @param status `si_status` of waitid(2). */
export function traceeStop(pid: number, status: number): TraceeStop {
  return { kind: "traced", pid, signal: status & 0xff, event: status >> 8 };
}
