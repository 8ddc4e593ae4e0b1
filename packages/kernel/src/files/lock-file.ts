import { addressOf, libc } from "#native";
import { EACCES, EAGAIN } from "../libc/errno.ts";
import { lastErrno, SyscallError } from "../libc/syscall-error.ts";

const F_OFD_SETLK = 37;
const F_WRLCK = 1;
/** struct flock of 64-bit Linux; from its start to its end, also when it grows. */
const FLOCK_BYTES = 32;
const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Locks a file that is open for writing against every other open file description, until the last
 * copy of the descriptor is closed; fcntl(2), F_OFD_SETLK. The kernel releases the lock when the
 * process ends, however it does.
 *
 * @returns false if another process has locked it
 * @throws SyscallError
 */
export function lockFile(fd: number): boolean {
  const lock = new DataView(new ArrayBuffer(FLOCK_BYTES));
  lock.setInt16(0, F_WRLCK, true);
  if (libc.fcntl(fd, F_OFD_SETLK, addressOf(lock)) >= 0) return true;
  const errno = lastErrno();
  if (errno === EAGAIN || errno === EACCES) return false;
  throw new SyscallError("fcntl", errno);
}

/**
 * As lockFile, for every open descriptor, a folder too; flock(2). Locks of the two kinds do not see
 * each other.
 *
 * @returns false if another open file description has it locked
 * @throws SyscallError
 */
export function lockDescriptor(fd: number): boolean {
  if (libc.flock(fd, LOCK_EX | LOCK_NB) === 0) return true;
  const errno = lastErrno();
  if (errno === EAGAIN) return false;
  throw new SyscallError("flock", errno);
}
