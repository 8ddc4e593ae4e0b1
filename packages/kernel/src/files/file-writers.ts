import { libc } from "#native";
import { EAGAIN } from "../libc/errno.ts";
import { lastErrno, SyscallError } from "../libc/syscall-error.ts";

// asm-generic/fcntl.h.
const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_RDLCK = 0;
const F_UNLCK = 2;
/** Ignored unless a handler is set; SIGIO, the default, ends the process. */
const SIGURG = 23;

/**
 * Whether a process has the file open for writing, or has memory of it that it may write to. The
 * kernel grants a read lease only if no process has; fcntl(2), F_SETLEASE. The lease is given
 * back at once.
 *
 * @param fd open for reading only
 * @throws SyscallError `EACCES` if another user owns the file, without CAP_LEASE; `EINVAL` if
 * the file system, or
 * fs.leases-enable, allows no leases
 */
export function hasWriters(fd: number): boolean {
  // A process that opens the file meanwhile makes the kernel tell this one.
  if (libc.fcntl(fd, F_SETSIG, SIGURG) < 0) throw new SyscallError("fcntl", lastErrno());
  if (libc.fcntl(fd, F_SETLEASE, F_RDLCK) < 0) {
    const errno = lastErrno();
    if (errno === EAGAIN) return true;
    throw new SyscallError("fcntl", errno);
  }
  libc.fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}
