import type { KernelInode } from "../kernel-inode.ts";

/** The lower 20 bits of a device's number in the kernel are the minor; include/linux/kdev_t.h. */
const MINORS = 2 ** 20;

/**
 * Pure: a file's identity in the kernel (`i_ino`, and `s_dev` of its superblock). It is read from
 * /proc/self/fdinfo/N of a descriptor, and from the mountinfo of its mount. stat(2) would not do:
 * btrfs and overlayfs invent its device number. Undefined if the mount is not among them.
 *
 * @param inode as stat(2) has it, for kernels whose fdinfo does not say (before 5.15)
 */
export function kernelIdentity(
  { fdinfo, mountinfo }: { readonly fdinfo: string; readonly mountinfo: string },
  inode: bigint,
): KernelInode | undefined {
  const mount = /^mnt_id:\s*(\d+)$/m.exec(fdinfo)?.[1];
  const own = /^ino:\s*(\d+)$/m.exec(fdinfo)?.[1];
  if (mount === undefined) return undefined;
  // Mount, its parent, device, …; proc_pid_mountinfo(5).
  const line = new RegExp(`^${mount} \\d+ (\\d+):(\\d+) `, "m").exec(mountinfo);
  if (line === null) return undefined;
  const [, major, minor] = line;
  const device = Number(major) * MINORS + Number(minor);
  return { device, inode: own === undefined ? inode : BigInt(own) };
}
