import { expect, test } from "bun:test";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { CgroupDirectory, unifiedRoot } from "./cgroup-directory.ts";

const podUid = "4f9d2f0c-5b2e-4b8e-9d2e-0c1f2a3b4c5d";

test("a cgroup is found by its id, with the pod that its path names", () => {
  using folder = temporaryFolder();
  const path = `/kubepods/pod${podUid}/${"ab".repeat(32)}`;
  mkdirSync(join(folder.path, path), { recursive: true });
  const { ino } = statSync(join(folder.path, path), { bigint: true });
  const found = new CgroupDirectory(folder.path).find(ino);
  expect(found).toEqual({ path, podUid, containerId: "ab".repeat(32) });
});

test("the hierarchy's root is /", () => {
  using folder = temporaryFolder();
  const { ino } = statSync(folder.path, { bigint: true });
  expect(new CgroupDirectory(folder.path).find(ino)).toEqual({ path: "/" });
});

test("an id that is nowhere is not looked for again at once", () => {
  using folder = temporaryFolder();
  const directory = new CgroupDirectory(folder.path);
  expect(directory.find(1n)).toBeUndefined();
  mkdirSync(join(folder.path, "new"));
  const { ino } = statSync(join(folder.path, "new"), { bigint: true });
  expect(directory.find(ino)).toBeUndefined();
});

test("a hierarchy that is not there has no groups", () => {
  expect(new CgroupDirectory("/nowhere").find(1n)).toBeUndefined();
});

const ofSystem = "29 24 0:26 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755";
const older = "31 29 0:28 / /sys/fs/cgroup/cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu";
const unified = (path: string) => `30 29 0:27 / ${path} rw,nosuid shared:8 - cgroup2 cgroup2 rw`;
const mounted: readonly (readonly [name: string, lines: readonly string[], root?: string])[] = [
  ["alone", [unified("/sys/fs/cgroup")], "/sys/fs/cgroup"],
  [
    "beside older ones",
    [ofSystem, older, unified("/sys/fs/cgroup/unified")],
    "/sys/fs/cgroup/unified",
  ],
  ["nowhere: older ones have the same numbers", [ofSystem, older]],
];
for (const [name, lines, root] of mounted) {
  test(`the unified hierarchy is found in its mount ${name}`, () => {
    expect(unifiedRoot(lines.join("\n"))).toBe(root);
  });
}
