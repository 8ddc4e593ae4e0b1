import { expect, test } from "bun:test";
import { environmentStart } from "./environment-start.ts";

test("the environment begins in the memory of a process, and elsewhere after an execve", async () => {
  const shell = Bun.spawn(["sh", "-c", "echo one; read line; exec sh -c 'echo two; read line'"], {
    env: { "A VARIABLE": "with a value" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const reader = shell.stdout.getReader();
  await reader.read();
  const first = environmentStart(shell.pid);
  expect(first).toBeGreaterThan(0x1000n);
  expect(environmentStart(shell.pid)).toBe(first);
  shell.stdin.write("\n");
  await reader.read();
  expect(environmentStart(shell.pid)).toBeGreaterThan(0x1000n);
  expect(environmentStart(shell.pid)).not.toBe(first);
  shell.stdin.end();
  await shell.exited;
});

test("nobody's begins nowhere", () => {
  expect(environmentStart(2 ** 22)).toBe(0n);
});
