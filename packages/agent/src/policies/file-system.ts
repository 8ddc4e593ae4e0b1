/** A file system, as far as a digest depends on it. */
export interface FileSystem {
  /** As mount(8) calls it. */
  readonly type: string;
  /** Whether a file there changes only with its change time, and by this kernel only. */
  readonly holdsFiles: boolean;
}

/**
 * Files there change by system calls of this machine, and each of these sets the change time. On a
 * network, or behind FUSE, another computer or process may give each reader another content. An
 * overlay has its own change times, which a write by mmap(2) does not set.
 */
const holding: ReadonlySet<string> = new Set([
  ...["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "ramfs", "rootfs"],
  ...["squashfs", "erofs", "iso9660", "cramfs"],
]);

/**
 * Pure: the file system of a descriptor; undefined if the mount is not among those of mountinfo.
 */
export function fileSystemOf({
  fdinfo,
  mountinfo,
}: {
  /** Of /proc/self/fdinfo/N. */
  readonly fdinfo: string;
  readonly mountinfo: string;
}): FileSystem | undefined {
  const mount = /^mnt_id:\s*(\d+)$/m.exec(fdinfo)?.[1];
  if (mount === undefined) return undefined;
  // Mount, parent, device, root, place, options, optional fields, a hyphen, type, …;
  // proc_pid_mountinfo(5).
  const type = new RegExp(`^${mount} \\d+ \\S+ .* - (\\S+) `, "m").exec(mountinfo)?.[1];
  return type === undefined ? undefined : { type, holdsFiles: holding.has(type) };
}
