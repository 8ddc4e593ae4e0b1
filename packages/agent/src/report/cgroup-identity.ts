/** Whose a cgroup is, as far as its path says. */
export interface CgroupIdentity {
  /** Below the hierarchy's root, as in /proc/PID/cgroup. */
  readonly path: string;
  readonly podUid?: string;
  readonly containerId?: string;
}

// Kubelet: `kubepods/burstable/pod<uid>`, or by systemd `kubepods-burstable-pod<uid with _>.slice`.
const podForm =
  /(?:^|[/-])pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?(?:\/|$)/;
// Runtimes: `<id>`, `cri-containerd-<id>.scope`, `crio-<id>.scope`, `docker-<id>.scope`; what is below is the container's.
const containerForm = /(?:^|[/:-])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/;

/** Reads a cgroup's path. */
export function cgroupIdentity(path: string): CgroupIdentity {
  const podUid = podForm.exec(path)?.[1]?.replaceAll("_", "-");
  const containerId = containerForm.exec(path)?.[1];
  return {
    path,
    ...(podUid !== undefined && { podUid }),
    ...(containerId !== undefined && { containerId }),
  };
}
