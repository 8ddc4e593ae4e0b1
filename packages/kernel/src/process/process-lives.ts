import { libc } from "#native";
import { EPERM, ESRCH } from "../libc/errno.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";

// The same on every architecture.
const SYS_PIDFD_SEND_SIGNAL = 424;

/**
 * Whether the process of a pidfd still has its pid: false once it has been waited for;
 * pidfd_send_signal(2) with signal 0. So earlier reads of `/proc/PID` before a "true" belong to
 * that process.
 */
export function processLives(pidfd: number): boolean {
  if (libc.syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, 0, 0, 0, 0, 0) >= 0) return true;
  const errno = lastErrno();
  if (errno === EPERM) return true;
  if (errno === ESRCH) return false;
  throw new SyscallError("pidfd_send_signal", errno);
}

/**
 * Sends a signal to the process of a pidfd; pidfd_send_signal(2).
 *
 * @throws SyscallError `ESRCH` of one that has ended
 */
export function signalProcess(pidfd: number, signal: number): void {
  const result = libc.syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0, 0, 0);
  checked("pidfd_send_signal", Number(result));
}
