import { expect, test } from "bun:test";
import type { GuestMachine } from "./guest-machine.ts";
import { folderShares, mountScript } from "./guest-mounts.ts";

const own: GuestMachine = {
  ...{ architecture: "x64", debianName: "amd64", emulator: [], settings: [] },
  ...{ files: "/", shared: [], covered: {}, busybox: "/bin/busybox", runtime: "/bin/bun" },
};
const other: GuestMachine = {
  ...own,
  shared: ["/checkout", "/cache"],
  covered: { "/checkout/dist/bin": "/checkout/dist/bin-arm64" },
};

test("a guest that has this machine's root mounts no folder of it", () => {
  expect(folderShares(own)).toEqual([]);
  expect(mountScript(own)).not.toContain("mount");
});

test("a guest with its own files mounts the shared folders, and then covers the built ones", () => {
  expect(folderShares(other)).toEqual([
    { tag: "shared0", path: "/checkout" },
    { tag: "shared1", path: "/cache" },
  ]);
  const mounts = mountScript(other).match(/mount (-t|--bind) .*(?= \|\|)/g);
  const options = "-t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro";
  expect(mounts).toEqual([
    `mount ${options} shared0 '/root/checkout'`,
    `mount ${options} shared1 '/root/cache'`,
    "mount --bind '/root/checkout/dist/bin-arm64' '/root/checkout/dist/bin'",
  ]);
});
