import { libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked } from "../libc/syscall-error.ts";

// struct statvfs on 64-bit Linux: words of 8 bytes.
const STATVFS_BYTES = 112;
const F_FRSIZE = 8;
const F_BAVAIL = 32;
const F_FILES = 40;
const F_FAVAIL = 56;

/** How much a file system still takes from this user. */
export interface FileSystemRoom {
  readonly freeBytes: number;
  /** Files and folders that can still be made; infinite if there is no such limit. */
  readonly freeFiles: number;
}

/** Asks the file system that a path is in; statvfs(3). */
export function fileSystemRoom(path: string): FileSystemRoom {
  const buffer = new Uint8Array(STATVFS_BYTES);
  checked("statvfs", libc.statvfs(cString(path), buffer));
  const view = new DataView(buffer.buffer);
  const word = (at: number) => Number(view.getBigUint64(at, true));
  return {
    freeBytes: word(F_BAVAIL) * word(F_FRSIZE),
    freeFiles: word(F_FILES) === 0 ? Number.POSITIVE_INFINITY : word(F_FAVAIL),
  };
}
