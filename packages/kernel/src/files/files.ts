import { architecture, libc } from "#native";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { cString } from "../libc/c-strings.ts";
import { EAGAIN, EFBIG, EINTR, EINVAL, ETIMEDOUT } from "../libc/errno.ts";
import { isRefused } from "../libc/is-refused.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { AT_EMPTY_PATH, AT_FDCWD, fileStatus } from "./file-status.ts";

// node:fs would do all of this, and costs 0.9 ms of start-up in each process.

const O_CLOEXEC = 0o2000000;
const S_IFMT = 0o170000;
const S_IFREG = 0o100000;
const X_OK = 1;
const TCGETS = 0x5401;
const O_WRONLY = 1;
const O_NOCTTY = 0o400;
const O_NONBLOCK = 0o4000;
// asm-generic/fcntl.h, and arm64's own.
const O_NOFOLLOW = architecture === "arm64" ? 0o100000 : 0o400000;
const PATH_BYTES = 4096;
const POLLIN = 1;
const PIPE_PATIENCE_MS = 10_000;
const SEEK_CUR = 1;
/** Most files of /proc fit, and no page of a start is touched in vain. */
const CHUNK_BYTES = 4096;

/** Opens a file for reading, close-on-exec; open(2). The caller owns the descriptor. */
export function openForReading(path: Uint8Array | string): number {
  return checked("open", libc.open(cString(path), O_CLOEXEC, 0));
}

/**
 * Opens a regular file for reading. Anything else is refused at once: a FIFO would make its opener
 * wait for a writer.
 */
export function openRegularFile(path: Uint8Array | string): number {
  const flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return regularFile(checked("open", libc.open(cString(path), flags, 0)));
}

/** Closes a file that is not a regular one. */
function regularFile(fd: number): number {
  try {
    const { mode } = fileStatus(fd, cString(""), AT_EMPTY_PATH);
    if ((mode & S_IFMT) !== S_IFREG) throw new SyscallError("open", EINVAL);
    return fd;
  } catch (error) {
    libc.close(fd);
    throw error;
  }
}

/**
 * Empties a regular file that is there and opens it for writing; a link is not followed; open(2).
 *
 * @throws SyscallError; `EINVAL` if it is not a regular file, `ELOOP` for a link.
 */
export function openEmptied(path: string): number {
  const flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const fd = regularFile(checked("open", libc.open(cString(path), flags, 0)));
  checked("ftruncate", libc.ftruncate(fd, 0));
  return fd;
}

/** The target of a symbolic link; readlink(2). */
export function readLink(path: string): string {
  const buffer = new Uint8Array(PATH_BYTES);
  const length = checked("readlink", libc.readlink(cString(path), buffer, buffer.length));
  return new TextDecoder().decode(buffer.subarray(0, length));
}

/**
 * Fills a buffer from a position as far as the file goes; returns the number of bytes; pread(2).
 */
export function readAt(fd: number, buffer: Uint8Array, position: number): number {
  let done = 0;
  while (done < buffer.length) {
    const rest = buffer.subarray(done);
    const count = checked("pread", libc.pread(fd, rest, rest.length, position + done));
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Writes all of the bytes at a position; pwrite(2). */
export function writeAt(fd: number, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.length) {
    const rest = bytes.subarray(done);
    done += checked("pwrite", libc.pwrite(fd, rest, rest.length, position + done));
  }
}

/**
 * Reads a whole file, also one of /proc that does not know its size, or a pipe (`<(command)`). A
 * named pipe without a writer is empty. For a silent writer it waits ten seconds.
 *
 * @throws SyscallError; `EFBIG` if the file is longer than `limit` bytes, `ETIMEDOUT` for a
 * silent pipe.
 */
export function readWholeFile(path: Uint8Array | string, limit: number): Uint8Array {
  const flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const fd = checked("open", libc.open(cString(path), flags, 0));
  try {
    return readToEnd(fd, limit);
  } finally {
    closeDescriptor(fd);
  }
}

/**
 * Reads a pipe or a socket to its end.
 *
 * @throws SyscallError; `EFBIG` if there are more than `limit` bytes, `ETIMEDOUT` if the peer
 * is silent
 * for ten seconds.
 */
export function readWholeDescriptor(fd: number, limit: number): Uint8Array {
  return readToEnd(fd, limit);
}

/** The target of a path; statx(2), access(2). */
export type FileKind = "executable" | "other" | "missing" | "out of reach";

/**
 * Looks at a path, following links. `executable` means a regular file that may be executed, as far
 * as access(2) can be asked.
 *
 * @throws SyscallError if the kernel refuses to look at all.
 */
export function fileKind(path: Uint8Array): FileKind {
  const name = cString(path);
  try {
    const { mode } = fileStatus(AT_FDCWD, name, 0);
    return (mode & S_IFMT) === S_IFREG && mayExecute(name) ? "executable" : "other";
  } catch (error) {
    if (!(error instanceof SyscallError) || isRefused(error.errno)) throw error;
    return isAbsent(error) ? "missing" : "out of reach";
  }
}

/** If the question itself is refused, execve(2) will tell. */
function mayExecute(name: Uint8Array): boolean {
  return libc.access(name, X_OK) === 0 || isRefused(lastErrno());
}

/** The kind of an open file. */
export interface DescriptorFacts {
  readonly inode: number;
  readonly size: number;
}

/** Looks at an open file; statx(2). */
export function descriptorFacts(fd: number): DescriptorFacts {
  const { inode, size } = fileStatus(fd, cString(""), AT_EMPTY_PATH);
  return { inode: Number(inode), size: Number(size) };
}

/**
 * A text that is another one when the file that a path leads to has been written or replaced:
 * inode, size and both times; statx(2). Nothing is opened.
 */
export function fileStamp(path: string): string {
  const { inode, size, changed, modified } = fileStatus(AT_FDCWD, cString(path), 0);
  return `${inode} ${size} ${changed} ${modified}`;
}

/** True if the descriptor is a terminal; isatty(3). */
export function isTerminal(fd: number): boolean {
  return libc.ioctl(fd, TCGETS, new Uint8Array(64)) === 0;
}

function readToEnd(fd: number, limit: number): Uint8Array {
  const seekable = Number(libc.lseek(fd, 0, SEEK_CUR)) >= 0;
  let bytes = new Uint8Array(CHUNK_BYTES);
  for (let length = 0; ; ) {
    const rest = bytes.subarray(length);
    const count = seekable ? readAt(fd, rest, length) : readPipe(fd, rest);
    length += count;
    if (length > limit) throw new SyscallError("read", EFBIG);
    if (length < bytes.length) return bytes.subarray(0, length);
    const longer = new Uint8Array(bytes.length * 2);
    longer.set(bytes);
    bytes.fill(0);
    bytes = longer;
  }
}

/** A pipe or a socket has no positions. */
function readPipe(fd: number, buffer: Uint8Array): number {
  let done = 0;
  while (done < buffer.length) {
    const rest = buffer.subarray(done);
    const count = Number(libc.read(fd, rest, rest.length));
    if (count === 0) break;
    if (count > 0) done += count;
    else waitForBytes(fd, lastErrno());
  }
  return done;
}

function waitForBytes(fd: number, errno: number): void {
  if (errno === EINTR) return;
  if (errno !== EAGAIN) throw new SyscallError("read", errno);
  const ready = checked("poll", libc.poll(Int32Array.of(fd, POLLIN), 1, PIPE_PATIENCE_MS));
  if (ready === 0) throw new SyscallError("read", ETIMEDOUT);
}

function isAbsent(error: unknown): boolean {
  return error instanceof SyscallError && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
