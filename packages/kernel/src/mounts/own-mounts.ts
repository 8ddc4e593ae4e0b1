import { addressOf, architecture, libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { EINVAL } from "../libc/errno.ts";
import { checked, SyscallError } from "../libc/syscall-error.ts";

// libc has functions of these names, which the small engine does not bind.
const numbers =
  architecture === "arm64"
    ? { unshare: 97, mount: 40, umount2: 39 }
    : { unshare: 272, mount: 165, umount2: 166 };

const CLONE_NEWNS = 0x20000;
const MS_NOSUID = 2;
const MS_NODEV = 4;
const MS_NOEXEC = 8;
const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MS_SLAVE = 1 << 19;
const MNT_DETACH = 2;

/**
 * Gives this process, and those that it starts, a mount namespace that no other process has:
 * unshare(2), mount_namespaces(7). Mounts of the outer namespace still arrive, and none goes there.
 *
 * @throws SyscallError `EPERM` without CAP_SYS_ADMIN, or if a filter refuses it.
 */
export function takeOwnMounts(): void {
  const { unshare } = numbers;
  checked("unshare", libc.syscall(unshare, CLONE_NEWNS, 0, 0, 0, 0, 0));
  mount({ source: "none", target: "/", flags: MS_REC | MS_SLAVE });
}

/** The bounds of a file system in memory. */
export interface MemoryBounds {
  readonly bytes: number;
  /** The files and folders. */
  readonly files: number;
}

/** A file system in memory that is never written to swap. */
export type MemoryFileSystem = "tmpfs" | "ramfs";

/**
 * Mounts a file system in memory over a folder; mount(2), tmpfs(5). Kernels before 6.3 have no
 * tmpfs without swap: there it is a ramfs, which has no bounds.
 */
export function mountMemory(folder: string, { bytes, files }: MemoryBounds): MemoryFileSystem {
  const flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  const data = `mode=0755,size=${bytes},nr_inodes=${files},noswap`;
  try {
    mount({ source: "svc", target: folder, type: "tmpfs", flags, data });
    return "tmpfs";
  } catch (error) {
    if (!(error instanceof SyscallError) || error.errno !== EINVAL) throw error;
    mount({ source: "svc", target: folder, type: "ramfs", flags, data: "mode=0755" });
    return "ramfs";
  }
}

/** Mounts a folder over another one, too; mount(2). */
export function mountFolder(folder: string, over: string): void {
  mount({ source: folder, target: over, flags: MS_BIND });
}

/** Takes the mount over a folder away, as soon as nothing uses it; umount(2). */
export function detachMount(folder: string): void {
  const { umount2 } = numbers;
  const name = cString(folder);
  checked("umount2", libc.syscall(umount2, addressOf(name), MNT_DETACH, 0, 0, 0, 0));
}

interface Mount {
  readonly source: string;
  readonly target: string;
  readonly type?: string;
  readonly flags: number;
  readonly data?: string;
}

function mount({ source, target, type = "none", flags, data = "" }: Mount): void {
  // They must live until the call is over.
  const texts = [source, target, type, data].map(cString);
  const [from = 0, to = 0, kind = 0, options = 0] = texts.map((text) => addressOf(text));
  checked("mount", libc.syscall(numbers.mount, from, to, kind, flags, options, 0));
}
