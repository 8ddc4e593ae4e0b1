import { addressOf, architecture, libc } from "#native";
import { isRefused } from "../libc/is-refused.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";

/** The path of the working directory's descriptor; openat(2). */
export const AT_FDCWD = -100;
/** The empty path names the descriptor itself. */
export const AT_EMPTY_PATH = 0x1000;
export const AT_SYMLINK_NOFOLLOW = 0x100;

/** STATX_BASIC_STATS. */
const MASK = 0x7ff;
/** struct statx; the older struct stat is shorter. */
const BYTES = 256;

/** The kernel's status of a file; inode(7). */
export interface FileStatus {
  /** Its kind and its permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly inode: bigint;
  readonly size: bigint;
  /** Seconds and nanoseconds, with a dot between. */
  readonly changed: string;
  readonly modified: string;
  readonly deviceMajor: number;
  readonly deviceMinor: number;
}

/**
 * Looks at a file; statx(2), and newfstatat(2) if a filter refuses that.
 *
 * @param path a C string.
 * @throws SyscallError
 */
export function fileStatus(folder: number, path: Uint8Array, flags: number): FileStatus {
  const buffer = new Uint8Array(BYTES);
  if (libc.statx(folder, path, flags, MASK, buffer) === 0) return ofStatx(buffer);
  const errno = lastErrno();
  if (!isRefused(errno)) throw new SyscallError("statx", errno);
  return olderFileStatus(folder, path, flags);
}

/** The same by newfstatat(2) alone. */
export function olderFileStatus(folder: number, path: Uint8Array, flags: number): FileStatus {
  const buffer = new Uint8Array(BYTES);
  const { newfstatat } = systemCallTable();
  const [name, target] = [addressOf(path), addressOf(buffer)];
  checked("newfstatat", libc.syscall(newfstatat, folder, name, target, flags, 0, 0));
  return ofStat(buffer);
}

function ofStatx(buffer: Uint8Array): FileStatus {
  const view = new DataView(buffer.buffer);
  const timeAt = (at: number) => `${view.getBigInt64(at, true)}.${view.getUint32(at + 8, true)}`;
  return {
    mode: view.getUint16(28, true),
    uid: view.getUint32(20, true),
    gid: view.getUint32(24, true),
    inode: view.getBigUint64(32, true),
    size: view.getBigUint64(40, true),
    changed: timeAt(96),
    modified: timeAt(112),
    deviceMajor: view.getUint32(136, true),
    deviceMinor: view.getUint32(140, true),
  };
}

/** struct stat of asm/stat.h on x86-64, and of asm-generic/stat.h. */
function ofStat(buffer: Uint8Array): FileStatus {
  const view = new DataView(buffer.buffer);
  const [mode, uid, gid] = architecture === "arm64" ? [16, 24, 28] : [24, 28, 32];
  const device = view.getBigUint64(0, true);
  const timeAt = (at: number) => `${view.getBigInt64(at, true)}.${view.getBigUint64(at + 8, true)}`;
  return {
    mode: view.getUint32(mode, true),
    uid: view.getUint32(uid, true),
    gid: view.getUint32(gid, true),
    inode: view.getBigUint64(8, true),
    size: view.getBigUint64(48, true),
    changed: timeAt(104),
    modified: timeAt(88),
    // new_encode_dev of linux/kdev_t.h.
    deviceMajor: Number((device >> 8n) & 0xfffn),
    deviceMinor: Number((device & 0xffn) | ((device >> 12n) & 0xfff00n)),
  };
}
