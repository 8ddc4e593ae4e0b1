/** A token's file, as its wrapper names it: stat(2). */
export interface TokenFile {
  /** Without folders. */
  readonly name: string;
  /** The kernel's own number of its file system: major << 20 | minor. */
  readonly device: number;
  readonly inode: bigint;
}

/** The volume of a pod that has a file. */
export type VolumeSearch =
  /** The folder on the machine in which the kubelet has mounted it. */
  | { readonly kind: "volume"; readonly folder: string }
  /** Why its openings cannot be told from those of other files, for people. */
  | { readonly kind: "none"; readonly reason: string };

/** `NAME_BYTES` of bpf/files.h, with the NUL. */
const NAME_BYTES = 32;

/**
 * Pure: the volume that the kubelet has mounted for a pod and that has a file. Only a volume of the
 * pod's own counts: a wrapper must not have the agent watch files of others.
 *
 * @param mountinfo the machine's mounts; proc_pid_mountinfo(5)
 */
export function findVolume(file: TokenFile, podUid: string, mountinfo: string): VolumeSearch {
  const bytes = Buffer.byteLength(file.name);
  if (bytes === 0 || bytes >= NAME_BYTES || /[/\0]/.test(file.name)) {
    return none(`its name must have 1 to ${NAME_BYTES - 1} bytes`);
  }
  const mount = mountOf(file.device, `/pods/${podUid}/volumes/`, mountinfo);
  if (mount === undefined) return none("no volume that the kubelet mounted for the pod has it");
  if (mount.type !== "tmpfs") return none(`its volume is not a tmpfs: ${mount.type}`);
  return { kind: "volume", folder: mount.point };
}

function none(reason: string): VolumeSearch {
  return { kind: "none", reason };
}

/** A mount below a folder of that name, wherever the kubelet's own folder is. */
function mountOf(device: number, below: string, mountinfo: string) {
  const wanted = `${Math.floor(device / 2 ** 20)}:${device % 2 ** 20}`;
  for (const line of mountinfo.split("\n")) {
    // Mount, parent, device, root, mount point, options …, "-", type, source, options.
    const [, , number, , point = "", ...rest] = line.split(" ");
    if (number !== wanted || !point.includes(below)) continue;
    return { point, type: rest[rest.indexOf("-") + 1] ?? "" };
  }
  return undefined;
}
