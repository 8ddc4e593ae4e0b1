import { describe, expect, test } from "bun:test";
import { ancestorsOf, type LivingProcess, readLiving } from "./ancestors.ts";

const processes: Readonly<Record<number, LivingProcess>> = {
  1: { pid: 1, name: "init", parentPid: 0, startTicks: 0n, executablePath: "/sbin/init" },
  5: { pid: 5, name: "sshd", parentPid: 1, startTicks: 10n },
  6: { pid: 6, name: "bash", parentPid: 5, startTicks: 20n, executablePath: "/bin/bash" },
  7: { pid: 7, name: "later", parentPid: 1, startTicks: 90n },
};

describe("the chain of parents", () => {
  const rows: readonly (readonly [name: string, parentPid: number, pids: readonly number[]])[] = [
    ["goes up to the first process", 6, [6, 5, 1]],
    ["is empty above the first process", 0, []],
    ["is empty if the parent has ended", 4, []],
    ["ends at a number that another process has by now", 7, []],
  ];
  for (const [name, parentPid, pids] of rows) {
    test(name, () => {
      const chain = ancestorsOf({ parentPid, startTicks: 30n }, (pid) => processes[pid]);
      expect(chain.map(({ pid }) => pid)).toEqual([...pids]);
    });
  }

  test("has names, and paths if the link is open", () => {
    const chain = ancestorsOf({ parentPid: 5, startTicks: 30n }, (pid) => processes[pid]);
    expect(chain).toEqual([
      { pid: 5, name: "sshd" },
      { pid: 1, name: "init", executablePath: "/sbin/init" },
    ]);
  });

  test("has eight at most", () => {
    const endless = (pid: number) => ({ pid, name: "n", parentPid: pid + 1, startTicks: 0n });
    expect(ancestorsOf({ parentPid: 2, startTicks: 0n }, endless)).toHaveLength(8);
  });
});

test("a process of this machine has its parent, its start and its name", () => {
  const self = readLiving(process.pid);
  expect(self).toMatchObject({ pid: process.pid, parentPid: process.ppid });
  expect(self?.startTicks).toBeGreaterThan(0n);
  expect(ancestorsOf(self ?? { parentPid: 0, startTicks: 0n })[0]?.pid).toBe(process.ppid);
});

test("a process that is not there is none", () => {
  expect(readLiving(2 ** 30)).toBeUndefined();
});
