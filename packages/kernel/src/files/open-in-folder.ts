import { addressOf, architecture, libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { EINVAL } from "../libc/errno.ts";
import { checked, SyscallError } from "../libc/syscall-error.ts";
import { AT_EMPTY_PATH, AT_FDCWD, type FileStatus, fileStatus } from "./file-status.ts";
import { kindOfMode, type PathKind } from "./path-status.ts";

const O_CLOEXEC = 0o2000000;
const O_NOCTTY = 0o400;
const O_NONBLOCK = 0o4000;
// asm-generic/fcntl.h, and arm64's own.
const O_DIRECTORY = architecture === "arm64" ? 0o40000 : 0o200000;
const SYS_FSTATFS = architecture === "arm64" ? 44 : 138;
/** struct statfs of asm-generic/statfs.h, of which f_type is the first word. */
const STATFS_BYTES = 120;
const memoryFileSystems: ReadonlySet<number> = new Set([
  // TMPFS_MAGIC, RAMFS_MAGIC of linux/magic.h.
  0x01021994, 0x858458f6,
]);

/** A file as it is at one moment. */
export interface FileLook {
  readonly kind: PathKind;
  /** Permission bits, with set-user-ID, set-group-ID and sticky. */
  readonly mode: number;
  /** In bytes. */
  readonly size: number;
  /** Another text once the file has been written, or another file has its place. */
  readonly stamp: string;
  /** The file itself, with any content. */
  readonly identity: string;
}

/** Opens a folder, following links, close-on-exec; open(2). The caller owns the descriptor. */
export function openFolder(path: string): number {
  return openAt(AT_FDCWD, cString(path), O_DIRECTORY);
}

/** The same of a name in an open folder; openat(2). */
export function openFolderIn(folder: number, name: string): number {
  return openAt(folder, cString(name), O_DIRECTORY);
}

/**
 * Opens a regular file in an open folder for reading, following links; openat(2). It never waits, as
 * for the writer of a FIFO.
 *
 * @throws SyscallError `EINVAL` if it is not a regular file.
 */
export function openFileIn(folder: number, name: Uint8Array): number {
  const fd = openAt(folder, cString(name), O_NONBLOCK | O_NOCTTY);
  try {
    if (lookAtDescriptor(fd).kind !== "file") throw new SyscallError("openat", EINVAL);
    return fd;
  } catch (error) {
    libc.close(fd);
    throw error;
  }
}

/** Looks at a file in an open folder, following links; statx(2). */
export function lookIn(folder: number, name: Uint8Array): FileLook {
  return lookOf(fileStatus(folder, cString(name), 0));
}

/** Looks at an open file; statx(2). */
export function lookAtDescriptor(fd: number): FileLook {
  return lookOf(fileStatus(fd, cString(""), AT_EMPTY_PATH));
}

/**
 * True if the file system of an open file is memory (tmpfs, ramfs), so that the file rests on no disk,
 * unless that memory is swapped out; fstatfs(2).
 *
 * @returns undefined if the kernel does not say so.
 */
export function isInMemory(fd: number): boolean | undefined {
  const buffer = new Uint8Array(STATFS_BYTES);
  if (Number(libc.syscall(SYS_FSTATFS, fd, addressOf(buffer), 0, 0, 0, 0)) < 0) return undefined;
  return memoryFileSystems.has(new DataView(buffer.buffer).getUint32(0, true));
}

function openAt(folder: number, path: Uint8Array, flags: number): number {
  return checked("open", libc.openat(folder, path, flags | O_CLOEXEC, 0));
}

function lookOf(status: FileStatus): FileLook {
  const { mode, size, changed, modified, inode, deviceMajor, deviceMinor } = status;
  const identity = `${deviceMajor}:${deviceMinor} ${inode}`;
  return {
    kind: kindOfMode(mode),
    mode: mode & 0o7777,
    size: Number(size),
    stamp: `${identity} ${size} ${changed} ${modified}`,
    identity,
  };
}
