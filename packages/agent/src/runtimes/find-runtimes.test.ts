import { afterAll, describe, expect, test } from "bun:test";
import {
  linkSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { findRuntimes, machineOf } from "./find-runtimes.ts";
import { wellKnownRuntimes } from "./runtime-paths.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const root = join(folder.path, "root");
const machine = { ...machineOf({ machinePids: false }), root };

function put(path: string, content = ""): string {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

const inodeOf = (path: string) => statSync(join(root, path), { bigint: true }).ino;
const inodes = (...paths: readonly string[]) =>
  findRuntimes(paths, machine).executables.map(({ inode }) => inode);

put("usr/bin/runc");
put("usr/bin/crun");
put("opt/hidden");
symlinkSync("/usr/bin/runc", join(root, "absolute"));
symlinkSync("/opt", join(root, "usr/libexec"));
symlinkSync(join(folder.path, "outside"), join(root, "leads-out"));
symlinkSync("../../../../../../../../bin/sh", join(root, "climbs-out"));
symlinkSync("circle", join(root, "circle"));
linkSync(join(root, "usr/bin/runc"), join(root, "usr/bin/also-runc"));
writeFileSync(join(folder.path, "outside"), "");

describe("findRuntimes", () => {
  test("finds existing runtimes, by the kernel's own identities", () => {
    const { executables } = findRuntimes(["/usr/bin/runc", "/usr/bin/crun"], machine);
    expect(executables.map(({ inode }) => inode)).toEqual(
      ["usr/bin/runc", "usr/bin/crun"].map(inodeOf),
    );
    // If stat does not make a device up, the kernel's is the same one.
    const made = statSync(root).dev;
    const encoded = (((made >> 8) & 0xfff) << 20) | (made & 0xff) | ((made >> 12) & 0xfff00);
    expect(executables.map(({ device }) => device)).toEqual([encoded, encoded]);
  });

  test("names a file once that has several names, or is at several places", () => {
    const found = inodes("/usr/bin/runc", "/usr/bin/also-runc", "/absolute", "/usr/bin/runc");
    expect(found).toEqual([inodeOf("usr/bin/runc")]);
  });

  test("follows links as the machine does", () => {
    expect(inodes("/usr/libexec/hidden")).toEqual([inodeOf("opt/hidden")]);
  });

  const nothing = ["/missing", "/usr/bin/runc/x", "/leads-out", "/climbs-out", "/circle"];
  for (const path of nothing) {
    test(`finds nothing at ${path}`, () => expect(inodes(path)).toEqual([]));
  }

  test("finds the file that has taken the place of another one", () => {
    const before = inodes("/usr/bin/crun");
    put("usr/bin/crun.new");
    renameSync(join(root, "usr/bin/crun.new"), join(root, "usr/bin/crun"));
    const after = inodes("/usr/bin/crun");
    expect(after).toEqual([inodeOf("usr/bin/crun")]);
    expect(after).not.toEqual(before);
  });

  test("gives the number of the mount namespace", () => {
    expect(`mnt:[${findRuntimes([], machine).mountNamespace}]`).toBe(
      readlinkSync("/proc/self/ns/mnt"),
    );
  });

  test("looks at the root of a process", () => {
    const own = `/proc/${process.pid}`;
    const { executables } = findRuntimes(["/bin/sh", ...wellKnownRuntimes], {
      root: `${own}/root`,
      mountinfo: `${own}/mountinfo`,
      mountNamespace: `${own}/ns/mnt`,
    });
    const shell = statSync("/bin/sh", { bigint: true }).ino;
    expect(executables.map(({ inode }) => inode)).toContain(shell);
  });

  const places = ["root", "mountinfo", "mountNamespace"] as const;
  for (const place of places) {
    test(`says so if the machine's ${place} is not to be had`, () => {
      const broken = { ...machine, [place]: join(folder.path, "nowhere") };
      expect(() => findRuntimes(["/usr/bin/runc"], broken)).toThrow("ENOENT");
    });
  }
});

test("the machine is process 1's if its numbers are the machine's, else one's own", () => {
  expect(machineOf({ machinePids: true }).root).toBe("/proc/1/root");
  expect(machineOf({ machinePids: false }).root).toBe("/");
});
