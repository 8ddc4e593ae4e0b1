import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { statField } from "@svc/kernel";
import { temporaryFolder } from "@svc/testing";
import { CgroupDirectory } from "./cgroup-directory.ts";
import { ProcessDirectory } from "./process-details.ts";

const nowhere = { cgroup: 0n };

test("a process is found by its pid and its start", () => {
  const details = new ProcessDirectory().look({
    ...nowhere,
    pid: process.pid,
    startNs: ownStartNs(),
  });
  expect(details.executablePath).toBe(readlinkSync("/proc/self/exe"));
  expect(details.cgroup?.path).toStartWith("/");
});

test("it has its parents, also when it has ended and the kernel side has said its parent", async () => {
  const child = Bun.spawn(["sleep", "1000"]);
  const name = { ...nowhere, pid: child.pid, startNs: startNs(child.pid), parentPid: process.pid };
  expect(new ProcessDirectory().look(name).ancestors?.[0]?.pid).toBe(process.pid);
  child.kill();
  await child.exited;
  const { ancestors, ...rest } = new ProcessDirectory().look(name);
  expect(ancestors?.[0]).toMatchObject({
    pid: process.pid,
    executablePath: readlinkSync("/proc/self/exe"),
  });
  expect(rest).toEqual({});
});

test("one that has another start is another process: it lends no name", () => {
  const startNs = ownStartNs() + 20_000_000n;
  expect(new ProcessDirectory().look({ ...nowhere, pid: process.pid, startNs })).toEqual({});
});

test("one that has ended has no details, unless it was looked at before", async () => {
  const directory = new ProcessDirectory();
  const child = Bun.spawn(["sleep", "1000"]);
  const name = { ...nowhere, pid: child.pid, startNs: startNs(child.pid) };
  const before = directory.look(name);
  expect(before.executablePath).toEndWith("sleep");
  child.kill();
  await child.exited;
  expect(directory.look(name)).toEqual(before);
  expect(new ProcessDirectory().look(name)).toEqual({});
});

test("one that has ended still has its cgroup", () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "a.slice"));
  const { ino } = statSync(join(folder.path, "a.slice"), { bigint: true });
  const directory = new ProcessDirectory(undefined, new CgroupDirectory(folder.path));
  const gone = { pid: process.pid, startNs: 1n, cgroup: ino };
  expect(directory.look(gone)).toEqual({ cgroup: { path: "/a.slice" } });
});

function ownStartNs(): bigint {
  return startNs(process.pid);
}

function startNs(pid: number): bigint {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const ticks = statField(stat, 22);
  // Somewhere within the tick.
  return BigInt(ticks ?? 0) * 10_000_000n + 1_234_567n;
}
