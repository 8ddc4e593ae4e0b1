import { architecture, libc } from "#native";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { cString } from "../libc/c-strings.ts";
import { EISDIR, ENOENT, EPERM } from "../libc/errno.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { namesInFolder } from "./directory-names.ts";

const AT_FDCWD = -100;
const AT_REMOVEDIR = 0x200;
const O_CLOEXEC = 0o2000000;
// asm-generic/fcntl.h, and arm64's own.
const O_DIRECTORY = architecture === "arm64" ? 0o40000 : 0o200000;
const O_NOFOLLOW = architecture === "arm64" ? 0o100000 : 0o400000;

/**
 * Removes a file, or a folder with all that is in it; unlink(2), rmdir(2). None is not an error.
 * A link is removed and never followed, also if another process puts it in a folder's place.
 */
export function removeTree(path: string): void {
  removeEntry(AT_FDCWD, cString(path));
}

function removeEntry(folder: number, name: Uint8Array): void {
  if (libc.unlinkat(folder, name, 0) === 0) return;
  const errno = lastErrno();
  if (errno === ENOENT) return;
  // POSIX lets unlink(2) refuse a folder by EPERM, and some file systems do.
  if (errno !== EISDIR && errno !== EPERM) throw new SyscallError("unlink", errno);
  removeContent(folder, name);
  checked("rmdir", libc.unlinkat(folder, name, AT_REMOVEDIR));
}

function removeContent(parent: number, name: Uint8Array): void {
  const flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const folder = checked("open", libc.openat(parent, name, flags, 0));
  try {
    for (const inside of namesInFolder(folder)) removeEntry(folder, cString(inside));
  } finally {
    closeDescriptor(folder);
  }
}
