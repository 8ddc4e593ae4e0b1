import { expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { descendantsAmong, descendantsOf, ownChildren } from "./descendants.ts";

test("descendantsAmong finds only children and their children", () => {
  const processes = [
    { pid: 1, parent: 0 },
    { pid: 10, parent: 1 },
    { pid: 11, parent: 10 },
    { pid: 12, parent: 11 },
    { pid: 20, parent: 1 },
  ];
  expect(descendantsAmong(processes, 10)).toEqual([11, 12]);
  expect(descendantsAmong(processes, 12)).toEqual([]);
  expect(descendantsAmong(processes, 1)).toEqual([10, 11, 12, 20]);
  expect(descendantsAmong(processes, 1, (pid) => pid === 10)).toEqual([20]);
});

test("descendantsOf finds the children of a shell", async () => {
  const shell = Bun.spawn(["/bin/sh", "-c", "/bin/sleep 60 & /bin/sleep 60; true"]);
  const found = await waitFor(
    () => {
      const pids = descendantsOf(shell.pid);
      return pids.length === 2 ? pids : undefined;
    },
    { deadlineMs: 10_000, what: "two children" },
  );
  expect(descendantsOf(process.pid)).toContainValues([shell.pid, ...found]);
  expect(ownChildren()).toContain(shell.pid);
  shell.kill();
  for (const pid of found) process.kill(pid);
});
