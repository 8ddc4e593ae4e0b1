import { expect, test } from "bun:test";
import type { PlacedTokenFile } from "./token-files.ts";
import { TokenFiles } from "./token-files.ts";

/** The contents of the maps. */
function recorder() {
  const volumes = new Map<number, bigint>();
  const names = new Map<string, bigint>();
  const inodes = new Map<string, bigint>();
  const readers = new Set<string>();
  const files = new TokenFiles({
    watchVolume: (device, volume) => void volumes.set(device, volume),
    leaveVolume: (device) => void volumes.delete(device),
    watchName: (volume, name, registration) => void names.set(`${volume} ${name}`, registration),
    leaveName: (volume, name) => void names.delete(`${volume} ${name}`),
    watchInode: (volume, inode, registration) =>
      void inodes.set(`${volume} ${inode}`, registration),
    allowReader: (volume, registration) => void readers.add(`${volume} ${registration}`),
    refuseReader: (volume, registration) => void readers.delete(`${volume} ${registration}`),
  });
  return { files, volumes, names, inodes, readers };
}

const file: PlacedTokenFile = { name: "token", device: 57, inode: 4n, folder: "/pods/a/v" };

test("a wrapper's file is watched until the wrapper ends", () => {
  const { files, volumes, names, inodes, readers } = recorder();
  files.keep(7n, file);
  files.keep(7n, file);
  expect([...volumes]).toEqual([[57, 1n]]);
  expect([...names]).toEqual([["1 token", 7n]]);
  expect([...inodes]).toEqual([["1 4", 7n]]);
  expect([...readers]).toEqual(["1 7"]);
  expect(files.counts()).toEqual({ volumes: 1, wrappers: 1 });
  files.forget(7n);
  files.forget(7n);
  expect([volumes.size, names.size, readers.size]).toEqual([0, 0, 0]);
  expect(files.counts()).toEqual({ volumes: 0, wrappers: 0 });
});

test("two wrappers of a pod have one file, until both have ended", () => {
  const { files, volumes, names, readers } = recorder();
  files.keep(7n, file);
  files.keep(8n, file);
  expect([...names.values()]).toEqual([8n]);
  expect([...readers]).toEqual(["1 7", "1 8"]);
  files.forget(8n);
  expect([...names.values()]).toEqual([7n]);
  expect([...readers]).toEqual(["1 7"]);
  files.forget(7n);
  expect([volumes.size, names.size]).toEqual([0, 0]);
});

test("a volume may have two files", () => {
  const { files, volumes, names } = recorder();
  files.keep(7n, file);
  files.keep(8n, { ...file, name: "other", inode: 5n });
  expect([...names]).toEqual([
    ["1 token", 7n],
    ["1 other", 8n],
  ]);
  files.forget(7n);
  expect([...names]).toEqual([["1 other", 8n]]);
  expect([...volumes]).toEqual([[57, 1n]]);
});

test("a wrapper that names another file keeps that one alone", () => {
  const { files, volumes, names, readers } = recorder();
  files.keep(7n, file);
  files.keep(7n, { ...file, name: "other" });
  expect([...names.keys()]).toEqual(["1 other"]);
  files.keep(7n, { ...file, device: 60, folder: "/pods/a/w" });
  expect([...names.keys()]).toEqual(["2 token"]);
  expect([...volumes]).toEqual([[60, 2n]]);
  expect([...readers]).toEqual(["2 7"]);
});

test("a later volume with the device number of an earlier one has none of its wrappers", () => {
  const { files, volumes, names, readers } = recorder();
  files.keep(7n, file);
  files.keep(8n, { ...file, folder: "/pods/b/v" });
  expect([...volumes]).toEqual([[57, 2n]]);
  expect([...names]).toEqual([["2 token", 8n]]);
  expect([...readers]).toEqual(["2 8"]);
  files.forget(7n);
  expect([...volumes]).toEqual([[57, 2n]]);
});
