import { expect, test } from "bun:test";
import { objectionToFolders } from "./kubelet-folders.ts";

const unified = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
const legacy = "31 24 0:27 / /sys/fs/cgroup/cpu rw,nosuid - cgroup cgroup rw,cpu\n";
const elsewhere = "as with --cgroup-root";

const rows: readonly (readonly [
  name: string,
  mountinfo: string,
  folders: readonly string[],
  objection: string | undefined,
])[] = [
  ["with the driver cgroupfs", unified, ["/sys/fs/cgroup/kubepods"], undefined],
  ["with the driver systemd", unified, ["/sys/fs/cgroup/kubepods.slice"], undefined],
  ["with --cgroup-root", unified, ["/sys/fs/cgroup/nodes/kubepods"], elsewhere],
  ["with v1 alone", legacy, ["/sys/fs/cgroup/cpu/kubepods"], "no control groups v2"],
  ["without a mount of control groups", "", [], undefined],
];
for (const [name, mountinfo, folders, objection] of rows) {
  test(`policies of pods, ${name}`, () => {
    const found = objectionToFolders(mountinfo, (path) => folders.includes(path));
    if (objection === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(objection);
  });
}
