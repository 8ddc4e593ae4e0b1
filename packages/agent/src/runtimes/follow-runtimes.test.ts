import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { type ContainerRuntimes, machineOf } from "./find-runtimes.ts";
import { followRuntimes } from "./follow-runtimes.ts";

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

function follow() {
  const folder = temporaryFolder();
  const root = join(folder.path, "root");
  mkdirSync(root);
  const path = join(root, "runc");
  writeFileSync(path, "");
  const controller = new AbortController();
  const heard: ContainerRuntimes[] = [];
  const lines: string[] = [];
  endings.push(() => {
    controller.abort();
    folder[Symbol.dispose]();
  });
  const start = (onChange = (runtimes: ContainerRuntimes): void => void heard.push(runtimes)) =>
    followRuntimes({
      paths: ["/runc", "/crun"],
      machine: { ...machineOf({ machinePids: false }), root },
      log: (_, message) => void lines.push(message),
      onChange,
      signal: controller.signal,
      intervalMs: 5,
    });
  const inodes = () => heard.map(({ executables }) => executables.map(({ inode }) => inode));
  return { path, root, heard, lines, inodes, start, controller };
}

const inodeOf = (path: string) => statSync(path, { bigint: true }).ino;
const deadline = (what: string) => ({ deadlineMs: 5000, what });

describe("followRuntimes", () => {
  test("reports the first ones at once, and another file in the place of one", async () => {
    const { path, start, inodes } = follow();
    const first = inodeOf(path);
    start();
    expect(inodes()).toEqual([[first]]);
    writeFileSync(`${path}.new`, "");
    renameSync(`${path}.new`, path);
    await waitFor(() => inodes().length > 1, deadline("the upgrade"));
    expect(inodes()).toEqual([[first], [inodeOf(path)]]);
  });

  test("reports none if none is there", () => {
    const { path, start, inodes } = follow();
    rmSync(path);
    start();
    expect(inodes()).toEqual([[]]);
  });

  test("keeps those that it knows while the machine cannot be looked at, and warns once", async () => {
    const { root, start, inodes, lines } = follow();
    start();
    renameSync(root, `${root}.away`);
    await waitFor(() => lines.some((line) => line.startsWith("look for")), deadline("the warning"));
    renameSync(`${root}.away`, root);
    writeFileSync(join(root, "crun"), "");
    await waitFor(() => inodes().length > 1, deadline("the next look"));
    expect(inodes().map((found) => found.length)).toEqual([1, 2]);
    expect(lines.filter((line) => line.startsWith("look for"))).toHaveLength(1);
  });

  test("reports again the runtimes that could not be stored", async () => {
    const { start } = follow();
    let calls = 0;
    start(() => {
      calls += 1;
      if (calls < 3) throw new Error("update of a map: ENOMEM");
    });
    await waitFor(() => calls === 3, deadline("the third try"));
  });

  test("does nothing once it was ended", () => {
    const { start, heard, controller } = follow();
    controller.abort();
    start();
    expect(heard).toEqual([]);
  });
});
