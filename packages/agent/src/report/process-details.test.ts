import { expect, test } from "bun:test";
import { readFileSync, readlinkSync } from "node:fs";
import { ProcessDirectory } from "./process-details.ts";

test("a process is found by its pid and its start", () => {
  const details = new ProcessDirectory().look({ pid: process.pid, startNs: ownStartNs() });
  expect(details.executablePath).toBe(readlinkSync("/proc/self/exe"));
  expect(details.cgroup?.path).toStartWith("/");
});

test("one that has another start is another process: it lends no name", () => {
  const startNs = ownStartNs() + 20_000_000n;
  expect(new ProcessDirectory().look({ pid: process.pid, startNs })).toEqual({});
});

test("one that has ended has no details, unless it was looked at before", async () => {
  const directory = new ProcessDirectory();
  const child = Bun.spawn(["sleep", "1000"]);
  const name = { pid: child.pid, startNs: startNs(child.pid) };
  const before = directory.look(name);
  expect(before.executablePath).toEndWith("sleep");
  child.kill();
  await child.exited;
  expect(directory.look(name)).toEqual(before);
  expect(new ProcessDirectory().look(name)).toEqual({});
});

function ownStartNs(): bigint {
  return startNs(process.pid);
}

function startNs(pid: number): bigint {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  // Somewhere within the tick.
  return BigInt(ticks ?? 0) * 10_000_000n + 1_234_567n;
}
