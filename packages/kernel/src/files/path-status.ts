import { cString } from "../libc/c-strings.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { AT_FDCWD, AT_SYMLINK_NOFOLLOW, fileStatus } from "./file-status.ts";

const S_IFMT = 0o170000;

const kinds: ReadonlyMap<number, PathKind> = new Map([
  [0o100000, "file"],
  [0o040000, "folder"],
  [0o120000, "link"],
]);

/** Which kind of file it is; inode(7). `other` means a device, a FIFO or a socket. */
export type PathKind = "file" | "folder" | "link" | "other";

/** The kernel's status of a file. */
export interface PathStatus {
  readonly kind: PathKind;
  /** Permission bits, with set-user-ID, set-group-ID and sticky. */
  readonly mode: number;
  /** In bytes. */
  readonly size: number;
  /** Its owner. */
  readonly uid: number;
  readonly inode: bigint;
  /** The number of its file system, in the kernel's form: major << 20 | minor. */
  readonly device: number;
}

/**
 * Looks at the file that a path leads to, following links; statx(2).
 *
 * @throws SyscallError; `ENOENT` if there is none.
 */
export function pathStatus(path: string): PathStatus {
  return look(path, 0);
}

/** Looks at the file of a name, which may be a link; undefined if there is none; statx(2). */
export function entryStatus(path: string): PathStatus | undefined {
  try {
    return look(path, AT_SYMLINK_NOFOLLOW);
  } catch (error) {
    if (error instanceof SyscallError && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The kind that a mode of inode(7) says. */
export function kindOfMode(mode: number): PathKind {
  return kinds.get(mode & S_IFMT) ?? "other";
}

function look(path: string, flags: number): PathStatus {
  const found = fileStatus(AT_FDCWD, cString(path), flags);
  return {
    kind: kindOfMode(found.mode),
    mode: found.mode & 0o7777,
    size: Number(found.size),
    uid: found.uid,
    inode: found.inode,
    device: found.deviceMajor * 2 ** 20 + found.deviceMinor,
  };
}
