import { addressOf, libc } from "#native";
import { EAGAIN, EFBIG, EINTR, EPIPE } from "../libc/errno.ts";
import { isRefused } from "../libc/is-refused.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";
import { SIGPIPE, SIGXFSZ } from "../signals/signal-numbers.ts";
import { signalSet } from "../signals/signals.ts";

const F_GETFD = 1;
const F_SETFD = 2;
const F_GETFL = 3;
const F_SETFL = 4;
const F_DUPFD_CLOEXEC = 1030;
const FD_CLOEXEC = 1;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
const POLLOUT = 4;
const PATIENCE_MS = 1000;

/** Signals that the kernel raises together with an error of write(2). */
const signalsOfErrors: ReadonlyMap<number, number> = new Map([
  [EPIPE, SIGPIPE],
  [EFBIG, SIGXFSZ],
]);

/** Closes a descriptor; close(2). */
export function closeDescriptor(fd: number): void {
  checked("close", libc.close(fd));
}

/**
 * Duplicates a descriptor to the lowest free number from `least` on, close-on-exec; fcntl(2).
 *
 * @throws SyscallError `EINVAL` if RLIMIT_NOFILE allows no such number.
 */
export function duplicateFrom(fd: number, least: number): number {
  return checked("fcntl", libc.fcntl(fd, F_DUPFD_CLOEXEC, least));
}

/** Says whether a descriptor survives execve; fcntl(2). */
export function setCloseOnExec(fd: number, close: boolean): void {
  const flags = checked("fcntl", libc.fcntl(fd, F_GETFD, 0));
  checked("fcntl", libc.fcntl(fd, F_SETFD, close ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC));
}

/**
 * Makes reads and writes on a descriptor return at once; the other end of a pipe is not touched.
 */
export function setNonBlocking(fd: number): void {
  checked(
    "fcntl",
    libc.fcntl(fd, F_SETFL, checked("fcntl", libc.fcntl(fd, F_GETFL, 0)) | O_NONBLOCK),
  );
}

/** Both ends of a pipe, close-on-exec; pipe(2). */
export interface Pipe {
  readonly readFd: number;
  readonly writeFd: number;
}

/**
 * Makes a pipe. With `nonBlocking` both ends are non-blocking. If a filter refuses pipe2, by the
 * older pipe(2).
 */
export function makePipe(options: { readonly nonBlocking?: boolean } = {}): Pipe {
  const fds = new Int32Array(2);
  const isMade = libc.pipe2(fds, O_CLOEXEC | (options.nonBlocking ? O_NONBLOCK : 0)) === 0;
  const errno = isMade ? 0 : lastErrno();
  const { pipe } = systemCallTable();
  const isOlder = pipe !== undefined && isRefused(errno);
  if (!isMade && !(isOlder && Number(libc.syscall(pipe, addressOf(fds), 0, 0, 0, 0, 0)) === 0)) {
    throw new SyscallError("pipe2", errno);
  }
  if (!isMade) setPipeFlags(fds, options.nonBlocking === true);
  const [readFd = -1, writeFd = -1] = fds;
  return { readFd, writeFd };
}

/** There is one thread: no fork and no execve comes between. */
function setPipeFlags(fds: Int32Array, nonBlocking: boolean): void {
  for (const fd of fds) {
    setCloseOnExec(fd, true);
    if (nonBlocking) setNonBlocking(fd);
  }
}

/** The result of one read: bytes, the end, or nothing yet on a non-blocking descriptor. */
export type ReadResult =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "nothing yet" };

/** Reads once, up to `limit` bytes; read(2). A signal in between is not an error. */
export function readDescriptor(fd: number, limit: number): ReadResult {
  const buffer = new Uint8Array(limit);
  for (;;) {
    const count = Number(libc.read(fd, buffer, limit));
    if (count > 0) return { kind: "bytes", bytes: buffer.subarray(0, count) };
    if (count === 0) return { kind: "end" };
    const errno = lastErrno();
    if (errno === EAGAIN) return { kind: "nothing yet" };
    if (errno !== EINTR) throw new SyscallError("read", errno);
  }
}

/** Writes all of the bytes to a blocking descriptor; write(2). */
export function writeDescriptor(fd: number, bytes: Uint8Array): void {
  let rest = bytes;
  while (rest.length > 0) {
    const count = Number(libc.write(fd, rest, rest.length));
    if (count >= 0) rest = rest.subarray(count);
    else if (lastErrno() !== EINTR) throw new SyscallError("write", lastErrno());
  }
}

/**
 * Writes to a possible reader. It loses the bytes if there is no reader (a closed pipe, a full
 * disk, no descriptor at all), or if the reader does not read for a second. The SIGPIPE that the
 * kernel raises for a closed pipe is taken back, and so is SIGXFSZ for a file of RLIMIT_FSIZE bytes.
 * The supervisor forwards signals, and these are its own.
 */
export function writeIfPossible(fd: number, bytes: Uint8Array): void {
  try {
    if (!takesBytes(fd)) return;
    writeDescriptor(fd, bytes);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const raised = signalsOfErrors.get(error.errno);
    if (raised === undefined) return;
    libc.sigtimedwait(signalSet([raised]), null, new BigInt64Array(2));
  }
}

/**
 * False if a pipe stayed full: an unread log must not stop the process that forwards signals.
 */
function takesBytes(fd: number): boolean {
  return libc.poll(Int32Array.of(fd, POLLOUT), 1, PATIENCE_MS) !== 0;
}
