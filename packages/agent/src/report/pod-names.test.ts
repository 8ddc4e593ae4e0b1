import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { PodNames } from "./pod-names.ts";

const uid = "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f";
const containerId = "cd".repeat(32);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const pods = join(folder.path, "var/log/pods");
const containers = join(folder.path, "var/log/containers");
for (const path of [pods, containers]) mkdirSync(path, { recursive: true });
mkdirSync(join(pods, `shop_web-7d9.x_${uid}`));
mkdirSync(join(pods, "not a pod"));
writeFileSync(join(containers, `web-7d9.x_shop_app-1-${containerId}.log`), "");

const rows: readonly (readonly [string, object, object])[] = [
  [
    "a container of a pod",
    { podUid: uid, containerId },
    { namespace: "shop", podName: "web-7d9.x", container: "app-1" },
  ],
  ["a pod's own group", { podUid: uid }, { namespace: "shop", podName: "web-7d9.x" }],
  [
    "a container whose log is not there yet",
    { podUid: uid, containerId: "ef".repeat(32) },
    { namespace: "shop", podName: "web-7d9.x" },
  ],
  ["another pod", { podUid: uid.replace("0a1b", "ffff") }, {}],
  ["no pod", {}, {}],
];
for (const [name, identity, wanted] of rows) {
  test(`${name} has the kubelet's names`, () => {
    const cgroup = { path: "/kubepods", ...identity };
    expect(new PodNames(folder.path).name(cgroup)).toEqual({ ...cgroup, ...wanted });
  });
}

test("a machine without a kubelet has none", () => {
  const cgroup = { path: "/a", podUid: uid };
  expect(new PodNames(join(folder.path, "nowhere")).name(cgroup)).toEqual(cgroup);
  expect(new PodNames(undefined).name(cgroup)).toEqual(cgroup);
});
