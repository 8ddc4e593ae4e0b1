import { describe, expect, test } from "bun:test";
import { type Authority, authorityOf } from "./authority.ts";

const rules = {
  users: [0, 1000],
  units: [
    "app.service",
    "svc-wrapper@*.service",
    "a*b*c.service",
    "two*-x-*two.service",
    "edge*edge.service",
  ],
};
const pod = "/kubepods/burstable/pod4f9d2f0c-5b2e-4b8e-9d2e-0c1f2a3b4c5d/0";
const wrapperSlice = "/system.slice/system-svc\\x2dwrapper.slice";
const manager = "/user.slice/user-1001.slice/user@1001.service";

describe("the authority to register", () => {
  const rows: readonly (readonly [
    uid: number,
    cgroup: string,
    authority: Authority | undefined,
  ])[] = [
    [65534, pod, "pod"],
    [0, pod, "pod"],
    [0, "/", "user"],
    [1000, "/user.slice/user-1000.slice/session-2.scope", "user"],
    [1001, "/user.slice/user-1001.slice/session-2.scope", undefined],
    [1001, "/", undefined],
    [1001, "/system.slice/app.service", "unit"],
    [1001, "/system.slice/app.service/worker", "unit"],
    [1001, "/system.slice/app.service.other.service", undefined],
    [1001, "/system.slice/other.service", undefined],
    [1001, `${wrapperSlice}/svc-wrapper@shop.service`, "unit"],
    [1001, `${wrapperSlice}/svc-wrapper@.service`, "unit"],
    [1001, "/system.slice/svc-wrapper.service", undefined],
    [1001, "/system.slice/a-b-c.service", "unit"],
    [1001, "/system.slice/abc.service", "unit"],
    [1001, "/system.slice/acb.service", undefined],
    // Each star stands for other characters, and parts do not overlap.
    [1001, "/system.slice/two-x-two.service", "unit"],
    [1001, "/system.slice/two-two.service", undefined],
    [1001, "/system.slice/two-x.service", undefined],
    [1001, "/system.slice/wo-x-two.service", undefined],
    [1001, "/system.slice/edge.service", undefined],
    // Services of the user's own manager, in which the user makes services and folders of any name.
    [1001, `${manager}/app.slice/app.service`, undefined],
    [1001, `${manager}/kubepods/pod4f9d2f0c-5b2e-4b8e-9d2e-0c1f2a3b4c5d/0`, undefined],
  ];
  for (const [uid, cgroup, authority] of rows) {
    test(`user ${uid} in ${cgroup}: ${authority ?? "nothing"}`, () => {
      expect(authorityOf({ uid, cgroup }, rules)).toBe(authority);
    });
  }

  test("only pods if no list names a caller", () => {
    const nobody = { users: [], units: [] };
    expect(authorityOf({ uid: 0, cgroup: "/system.slice/app.service" }, nobody)).toBeUndefined();
    expect(authorityOf({ uid: 0, cgroup: pod }, nobody)).toBe("pod");
  });
});
