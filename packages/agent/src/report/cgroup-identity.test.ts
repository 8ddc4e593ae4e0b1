import { describe, expect, test } from "bun:test";
import { cgroupIdentity, systemdUnit } from "./cgroup-identity.ts";

const id = "0123456789abcdef".repeat(4);
const podUid = "4f9d2f0c-5b2e-4b8e-9d2e-0c1f2a3b4c5d";
const underscored = podUid.replaceAll("-", "_");

describe("the owner of a cgroup", () => {
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
    [`/user.slice/user-1000.slice/user@1000.service/kubepods/pod${podUid}/x`, {}],
    [`/user.slice/user-1000.slice/kubepods-pod${underscored}.slice/x`, {}],
    [`/system.slice/theirs.service/pod${podUid}/x`, {}],
    [`/../../kubepods-pod${underscored}.slice/crio-${id}.scope`, { podUid, containerId: id }],
    [`/system.slice/${id}0`, {}],
  ];
  for (const [path, identity] of rows) {
    test(path, () => {
      expect(cgroupIdentity(path)).toEqual({ path, ...identity });
    });
  }
});

describe("the service of the system that a cgroup is of", () => {
  const rows: readonly (readonly [path: string, unit: string | undefined])[] = [
    ["/", undefined],
    ["/system.slice/ssh.service", "ssh.service"],
    ["/system.slice/ssh.service/worker", "ssh.service"],
    [
      "/system.slice/system-svc\\x2dwrapper.slice/svc-wrapper@app.service",
      "svc-wrapper@app.service",
    ],
    ["/shop.slice/app.service", "app.service"],
    ["/../../../system.slice/app.service", "app.service"],
    ["/system.slice/app.scope", undefined],
    ["/system.slice", undefined],
    ["/init.scope", undefined],
    ["/user.slice/user-1000.slice/session-2.scope", undefined],
    ["/user.slice/user-1000.slice/user@1000.service/app.slice/app.service", undefined],
    ["/user-1000.slice/user@1000.service/system.slice/app.service", undefined],
    ["/system.slice/docker-1.scope/system.slice/app.service", undefined],
  ];
  for (const [path, unit] of rows) {
    test(path, () => expect(systemdUnit(path)).toBe(unit));
  }
});
