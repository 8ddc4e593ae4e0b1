import { architecture, libc } from "#native";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { cString } from "../libc/c-strings.ts";
import { EAGAIN, EFBIG, EINTR, EINVAL, ETIMEDOUT } from "../libc/errno.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";

// node:fs would do all of this, and costs 0.9 ms of start-up in each process.

const AT_FDCWD = -100;
const O_CLOEXEC = 0o2000000;
const AT_EMPTY_PATH = 0x1000;
const STATX_TYPE = 1;
const STATX_MTIME = 0x40;
const STATX_CTIME = 0x80;
const STATX_INODE = 0x100;
const STATX_SIZE = 0x200;
const STATX_BYTES = 256;
const STX_MODE = 28;
const STX_INODE = 32;
const STX_SIZE = 40;
const STX_CTIME = 96;
const STX_MTIME = 112;
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
  const buffer = new Uint8Array(STATX_BYTES);
  libc.statx(fd, cString(""), AT_EMPTY_PATH, STATX_TYPE, buffer);
  if ((new DataView(buffer.buffer).getUint16(STX_MODE, true) & S_IFMT) === S_IFREG) return fd;
  libc.close(fd);
  throw new SyscallError("open", EINVAL);
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

/** Looks at a path, following links. `executable` means a regular file that may be executed. */
export function fileKind(path: Uint8Array): FileKind {
  const buffer = new Uint8Array(STATX_BYTES);
  const name = cString(path);
  try {
    checked("statx", libc.statx(AT_FDCWD, name, 0, STATX_TYPE, buffer));
  } catch (error) {
    return isAbsent(error) ? "missing" : "out of reach";
  }
  const mode = new DataView(buffer.buffer).getUint16(STX_MODE, true);
  const runs = (mode & S_IFMT) === S_IFREG && libc.access(name, X_OK) === 0;
  return runs ? "executable" : "other";
}

/** The kind of an open file. */
export interface DescriptorFacts {
  readonly inode: number;
  readonly size: number;
}

/** Looks at an open file; statx(2). */
export function descriptorFacts(fd: number): DescriptorFacts {
  const buffer = new Uint8Array(STATX_BYTES);
  checked("statx", libc.statx(fd, cString(""), AT_EMPTY_PATH, STATX_INODE | STATX_SIZE, buffer));
  const view = new DataView(buffer.buffer);
  return {
    inode: Number(view.getBigUint64(STX_INODE, true)),
    size: Number(view.getBigUint64(STX_SIZE, true)),
  };
}

/**
 * A text that is another one when the file that a path leads to has been written or replaced:
 * inode, size and both times; statx(2). Nothing is opened.
 */
export function fileStamp(path: string): string {
  const buffer = new Uint8Array(STATX_BYTES);
  const mask = STATX_INODE | STATX_SIZE | STATX_MTIME | STATX_CTIME;
  checked("statx", libc.statx(AT_FDCWD, cString(path), 0, mask, buffer));
  const view = new DataView(buffer.buffer);
  const time = (at: number) => `${view.getBigInt64(at, true)}.${view.getUint32(at + 8, true)}`;
  const [inode, size] = [STX_INODE, STX_SIZE].map((at) => view.getBigUint64(at, true));
  return `${inode} ${size} ${time(STX_MTIME)} ${time(STX_CTIME)}`;
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
  const ready = libc.poll(Int32Array.of(fd, POLLIN), 1, PIPE_PATIENCE_MS);
  if (ready === 0) throw new SyscallError("read", ETIMEDOUT);
}

function isAbsent(error: unknown): boolean {
  return error instanceof SyscallError && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
