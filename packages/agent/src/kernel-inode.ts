/** `struct svc_inode` of bpf/event.h: a file as the kernel knows it. */
export interface KernelInode {
  readonly inode: bigint;
  /** The kernel's own number of its file system: major << 20 | minor. */
  readonly device: number;
}

/** The bytes of a key of the maps `regions` and `runtimes`. */
export function inodeBytes({ inode, device }: KernelInode): Uint8Array {
  const view = new DataView(new ArrayBuffer(16));
  view.setBigUint64(0, inode, true);
  view.setUint32(8, device, true);
  return new Uint8Array(view.buffer);
}
