import { libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked, SyscallError } from "../libc/syscall-error.ts";

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const STATX_TYPE = 1;
const STATX_MODE = 2;
const STATX_UID = 8;
const STATX_INO = 0x100;
const STATX_SIZE = 0x200;
const STATX_BYTES = 256;
const STX_UID = 20;
const STX_MODE = 28;
const STX_INO = 32;
const STX_SIZE = 40;
const STX_DEV_MAJOR = 136;
const STX_DEV_MINOR = 140;
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

function look(path: string, flags: number): PathStatus {
  const buffer = new Uint8Array(STATX_BYTES);
  const mask = STATX_TYPE | STATX_MODE | STATX_UID | STATX_INO | STATX_SIZE;
  checked("statx", libc.statx(AT_FDCWD, cString(path), flags, mask, buffer));
  const view = new DataView(buffer.buffer);
  const mode = view.getUint16(STX_MODE, true);
  return {
    kind: kinds.get(mode & S_IFMT) ?? "other",
    mode: mode & 0o7777,
    size: Number(view.getBigUint64(STX_SIZE, true)),
    uid: view.getUint32(STX_UID, true),
    inode: view.getBigUint64(STX_INO, true),
    device: view.getUint32(STX_DEV_MAJOR, true) * 2 ** 20 + view.getUint32(STX_DEV_MINOR, true),
  };
}
