import { expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { processTree } from "./process-tree.ts";

test("a process tree has the process and its living descendants", async () => {
  const shell = Bun.spawn(["/bin/sh", "-c", "sleep 60 & wait"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  const names = () =>
    processTree(shell.pid).map(({ executable }) => executable.replace(/^.*\//, ""));
  await waitFor(() => names().includes("sleep"), { deadlineMs: 5000, what: "sleep to run" });
  const tree = processTree(shell.pid);
  expect(tree.map(({ pid }) => pid)).toContain(shell.pid);
  expect(tree).toHaveLength(2);
  for (const { pid } of tree) process.kill(pid, "SIGKILL");
  await shell.exited;
  await waitFor(() => tree.every(({ pid }) => processTree(pid).length === 0), {
    deadlineMs: 5000,
    what: "both to have ended",
  });
});
