/** The owner of a cgroup, as far as its path shows it. */
export interface CgroupIdentity {
  /** Below the hierarchy's root, as in /proc/PID/cgroup. */
  readonly path: string;
  readonly podUid?: string;
  readonly containerId?: string;
}

// Kubelet: `kubepods/burstable/pod<uid>`, or by systemd `kubepods-burstable-pod<uid with _>.slice`.
const podForm =
  /(?:^|[/-])pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?(?:\/|$)/;
// Runtimes: `<id>`, `cri-containerd-<id>.scope`, `crio-<id>.scope`, `docker-<id>.scope`; cgroups
// below belong to the container.
const containerForm = /(?:^|[/:-])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/;

// systemd hands these to users, who make folders of any name below them (Delegate= of
// systemd.resource-control(5)).
const delegatedForm = /^(?:user\.slice|user-\d+\.slice|.*\.service)$/;

/** Reads a cgroup's path. */
export function cgroupIdentity(path: string): CgroupIdentity {
  const pod = podForm.exec(path);
  const isPod = pod !== null && !isDelegated(path.slice(0, pod.index + 1));
  const podUid = isPod ? pod[1]?.replaceAll("_", "-") : undefined;
  const containerId = containerForm.exec(path)?.[1];
  return {
    path,
    ...(podUid !== undefined && { podUid }),
    ...(containerId !== undefined && { containerId }),
  };
}

function isDelegated(above: string): boolean {
  return above.split("/").some((folder) => delegatedForm.test(folder));
}

/**
 * The service of the system's manager that a cgroup is of, such as `app.service`: folders of
 * slices, and behind them that of the service. Users have their own manager, whose services do
 * not count.
 */
export function systemdUnit(path: string): string | undefined {
  // From inside of a cgroup namespace, paths beside it begin with `/..`.
  const folders = path.split("/").filter((folder) => folder !== "" && folder !== "..");
  const place = folders.findIndex((folder) => !folder.endsWith(".slice"));
  const unit = folders[place];
  if (unit === undefined || !unit.endsWith(".service")) return undefined;
  return folders.slice(0, place).some((folder) => delegatedForm.test(folder)) ? undefined : unit;
}
