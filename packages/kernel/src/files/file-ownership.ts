import { libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { AT_FDCWD, fileStatus } from "./file-status.ts";
import { readWholeFile } from "./files.ts";

// struct statvfs on 64-bit Linux: f_flag follows nine words of 8 bytes.
const STATVFS_BYTES = 112;
const STATVFS_FLAG = 72;
const ST_NOSUID = 2;
const MAX_STATUS_BYTES = 1 << 16;

/** The owner of a file, and its permission bits with set-user-ID and set-group-ID. */
export interface FileOwnership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Looks at a file, following links; undefined if it cannot be; statx(2). */
export function fileOwnership(path: Uint8Array): FileOwnership | undefined {
  try {
    const { mode, uid, gid } = fileStatus(AT_FDCWD, cString(path), 0);
    return { mode: mode & 0o7777, uid, gid };
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}

/** True if execve would take capabilities from the file; getxattr(2), capabilities(7). */
export function hasFileCapabilities(path: Uint8Array): boolean {
  return libc.getxattr(cString(path), cString("security.capability"), null, 0) > 0;
}

/** True if the file system ignores the privileges of its files (nosuid); statvfs(3). */
export function isMountedWithoutPrivileges(path: Uint8Array): boolean {
  const buffer = new Uint8Array(STATVFS_BYTES);
  if (libc.statvfs(cString(path), buffer) < 0) return false;
  return (new DataView(buffer.buffer).getUint32(STATVFS_FLAG, true) & ST_NOSUID) !== 0;
}

/** The kernel's status of a process, by field name; this process by default. proc_pid_status(5). */
export function processStatus(pid: number | "self" = "self"): ReadonlyMap<string, string> {
  const text = new TextDecoder().decode(readWholeFile(`/proc/${pid}/status`, MAX_STATUS_BYTES));
  return new Map(
    text.split("\n").map((line) => {
      const [name = "", value = ""] = line.split(":\t", 2);
      return [name, value] as const;
    }),
  );
}
