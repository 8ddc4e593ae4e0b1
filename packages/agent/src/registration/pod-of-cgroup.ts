/** The part of a pod that a process belongs to. */
export interface CgroupPod {
  readonly podUid: string;
  /** 64 hexadecimal digits; absent where the path ends before a container. */
  readonly containerId?: string;
}

/**
 * The pod in a cgroup's path, as the kubelet makes it: `…/kubepods-burstable-pod0a1b_….slice/cri-containerd-….scope`, or
 * `…/kubepods/burstable/pod0a1b-…/…`. Of several the outermost: what is below it, the container may have made itself.
 */
export function podOfCgroup(path: string): CgroupPod | undefined {
  const parts = path.split("/");
  for (const [index, part] of parts.entries()) {
    const uid = podPattern.exec(part)?.[1];
    if (uid === undefined) continue;
    const below = parts.slice(index + 1).join("/");
    const containerId = /[0-9a-f]{64}/.exec(below)?.[0];
    const podUid = uid.replaceAll("_", "-");
    return containerId === undefined ? { podUid } : { podUid, containerId };
  }
  return undefined;
}

// UUIDs, with `_` for `-` in the names of slices; static pods have 32 digits.
const podPattern =
  /^(?:kubepods(?:-[a-z]+)?-)?pod([0-9a-f]{32}|[0-9a-f]{8}(?:[_-][0-9a-f]{4}){3}[_-][0-9a-f]{12})(?:\.slice)?$/;
