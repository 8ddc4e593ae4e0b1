import { addressOf, libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked } from "../libc/syscall-error.ts";

// The same on every architecture.
const SYS_OPENAT2 = 437;
const O_PATH = 0o10000000n;
const O_CLOEXEC = 0o2000000n;
const RESOLVE_NO_MAGICLINKS = 0x02n;
const RESOLVE_IN_ROOT = 0x10n;

/**
 * A descriptor that names a file below another root directory, without opening it; openat2(2).
 * Links are followed as a process with that root would follow them, and never out of it. The caller
 * owns it.
 *
 * @param root a descriptor of the root directory
 * @throws SyscallError `ENOENT` if there is none, `ENOSYS` before Linux 5.6.
 */
export function openInRoot(root: number, path: string): number {
  const name = cString(path);
  // struct open_how: flags, mode, resolve.
  const how = BigUint64Array.of(O_PATH | O_CLOEXEC, 0n, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
  const fd = libc.syscall(SYS_OPENAT2, root, addressOf(name), addressOf(how), how.byteLength, 0, 0);
  return checked("openat2", Number(fd));
}
