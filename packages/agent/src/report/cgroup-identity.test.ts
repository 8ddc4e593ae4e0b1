import { describe, expect, test } from "bun:test";
import { cgroupIdentity } from "./cgroup-identity.ts";

const id = "0123456789abcdef".repeat(4);
const podUid = "4f9d2f0c-5b2e-4b8e-9d2e-0c1f2a3b4c5d";
const underscored = podUid.replaceAll("-", "_");

describe("whose a cgroup is", () => {
  const rows: readonly (readonly [path: string, identity: object])[] = [
    ["/", {}],
    ["/system.slice/ssh.service", {}],
    ["/user.slice/user-1000.slice/session-2.scope", {}],
    [`/kubepods/besteffort/pod${podUid}/${id}`, { podUid, containerId: id }],
    [
      `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${underscored}.slice/cri-containerd-${id}.scope`,
      { podUid, containerId: id },
    ],
    [
      `/kubepods.slice/kubepods-pod${underscored}.slice/crio-${id}.scope/container`,
      { podUid, containerId: id },
    ],
    [`/system.slice/docker-${id}.scope`, { containerId: id }],
    [`/docker/${id}`, { containerId: id }],
    [`/kubepods/pod${"ab".repeat(16)}/${id}`, { podUid: "ab".repeat(16), containerId: id }],
    [`/kubepods/pod${podUid}`, { podUid }],
    [`/machine.slice/tripod${podUid}x`, {}],
    [`/system.slice/${id}0`, {}],
  ];
  for (const [path, identity] of rows) {
    test(path, () => {
      expect(cgroupIdentity(path)).toEqual({ path, ...identity });
    });
  }
});
