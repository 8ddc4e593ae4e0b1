import { addressOf, libc } from "#native";
import { EINVAL, ENOENT } from "../libc/errno.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";

const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1;
const SPEC_ALLOW = 4;
const NEW_LISTENER = 8;
/** Linux 5.19: once it is received, signals that do not kill leave the call alone. */
const WAIT_KILLABLE_RECV = 32;
const FILTER_BYTES = 8;

// linux/seccomp.h: _IOWR('!', 0, struct seccomp_notif) and its kin.
const NOTIF_RECV = 0xc050_2100;
const NOTIF_SEND = 0xc018_2101;
const NOTIF_ADDFD = 0x4018_2103;
const NOTIF_SET_FLAGS = 0x4008_2104;
const SYNC_WAKE_UP = 1;
const NOTIF_BYTES = 80;
const RESPONSE_BYTES = 24;
const CONTINUE = 1;
const ADDFD_SEND = 2;

/** Sets no_new_privs: no execve raises privileges from now on; PR_SET_NO_NEW_PRIVS(2const). */
export function setNoNewPrivileges(): void {
  checked("prctl", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

/**
 * Puts a filter on this process and all that it starts, and returns the descriptor that receives
 * the filter's notifications; seccomp(2), seccomp_unotify(2). The caller owns it.
 *
 * @param program classic BPF, 8 bytes for each instruction.
 * @throws SyscallError `EACCES` without no_new_privs and CAP_SYS_ADMIN, `EBUSY` if a filter of
 *   this process has a listener already, `EINVAL` before Linux 5.0.
 */
export function installListener(program: Uint8Array): number {
  // struct sock_fprog: a length of 16 bits, and after padding the address.
  const header = BigUint64Array.of(
    BigInt(program.length / FILTER_BYTES),
    BigInt(addressOf(program)),
  );
  const install = (flags: number) => {
    const { seccomp } = systemCallTable();
    const mode = SECCOMP_SET_MODE_FILTER;
    return Number(libc.syscall(seccomp, mode, flags, addressOf(header), 0, 0, 0));
  };
  const fd = install(NEW_LISTENER | SPEC_ALLOW | WAIT_KILLABLE_RECV);
  if (fd >= 0 || lastErrno() !== EINVAL) return checked("seccomp", fd);
  return checked("seccomp", install(NEW_LISTENER | SPEC_ALLOW));
}

/**
 * Makes the kernel run listener and program on one processor, one after the other, if it can (Linux
 * 6.6). Each of them only waits for the other; SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP.
 */
export function wakeInTurn(listener: number): void {
  // An older kernel does without.
  libc.syscall(systemCallTable().ioctl, listener, NOTIF_SET_FLAGS, SYNC_WAKE_UP, 0, 0, 0);
}

/** A system call that waits for its listener's answer. */
export interface Notification {
  readonly id: bigint;
  /** The thread that makes the call. */
  readonly tid: number;
  /** The number of the call, by the table of its architecture. */
  readonly call: number;
  /** The first argument. */
  readonly first: bigint;
  /** The second argument, as a number with a sign. */
  readonly second: bigint;
}

/** Takes the next notification; undefined if its thread is gone. It waits if there is none. */
export function receiveNotification(listener: number): Notification | undefined {
  const bytes = new Uint8Array(NOTIF_BYTES);
  if (libc.ioctl(listener, NOTIF_RECV, bytes) < 0) {
    const errno = lastErrno();
    if (errno === ENOENT) return undefined;
    throw new SyscallError("ioctl", errno);
  }
  return notificationIn(bytes);
}

/** @param bytes struct seccomp_notif. */
export function notificationIn(bytes: Uint8Array): Notification {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    id: view.getBigUint64(0, true),
    tid: view.getUint32(8, true),
    call: view.getInt32(16, true),
    first: view.getBigUint64(32, true),
    second: view.getBigInt64(40, true),
  };
}

/** Lets the kernel make the call; SECCOMP_USER_NOTIF_FLAG_CONTINUE. */
export function continueCall(listener: number, { id }: Notification): void {
  const response = new Uint8Array(RESPONSE_BYTES);
  const view = new DataView(response.buffer);
  view.setBigUint64(0, id, true);
  view.setUint32(20, CONTINUE, true);
  answer(listener, NOTIF_SEND, response);
}

/**
 * Gives the thread a copy of a descriptor of ours, and returns its number there as the result of
 * the call; SECCOMP_IOCTL_NOTIF_ADDFD (Linux 5.9), in one step with SECCOMP_ADDFD_FLAG_SEND (5.14).
 */
export function answerWithDescriptor(listener: number, { id }: Notification, fd: number): void {
  const request = new Uint8Array(RESPONSE_BYTES);
  const asked = new DataView(request.buffer);
  asked.setBigUint64(0, id, true);
  asked.setUint32(8, ADDFD_SEND, true);
  asked.setUint32(12, fd, true);
  if (libc.ioctl(listener, NOTIF_ADDFD, request) >= 0) return;
  asked.setUint32(8, 0, true);
  const number = lastErrno() === EINVAL ? libc.ioctl(listener, NOTIF_ADDFD, request) : -1;
  const response = new Uint8Array(RESPONSE_BYTES);
  const view = new DataView(response.buffer);
  view.setBigUint64(0, id, true);
  if (number >= 0) view.setBigInt64(8, BigInt(number), true);
  else view.setInt32(16, -lastErrno(), true);
  answer(listener, NOTIF_SEND, response);
}

/** A thread that has been killed meanwhile needs no answer. */
function answer(listener: number, operation: number, bytes: Uint8Array): void {
  if (libc.ioctl(listener, operation, bytes) >= 0) return;
  const errno = lastErrno();
  if (errno !== ENOENT) throw new SyscallError("ioctl", errno);
}
