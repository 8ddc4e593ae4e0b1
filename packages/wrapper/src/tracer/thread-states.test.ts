import { describe, expect, test } from "bun:test";
import { realpathSync } from "node:fs";
import {
  childrenOf,
  mappedFiles,
  mappingsOf,
  threadState,
  threadsOf,
  tracerOf,
} from "./thread-states.ts";

const NOBODY = 2 ** 22 - 1;

describe("of this very process", () => {
  test("the threads are known, and that they can be stopped", () => {
    expect(threadsOf(process.pid)).toContain(process.pid);
    expect(threadState(process.pid, process.pid)).toBe("can be stopped");
  });

  test("the children are known", async () => {
    const child = Bun.spawn(["sleep", "60"]);
    expect(childrenOf(process.pid)).toContain(child.pid);
    child.kill("SIGKILL");
    await child.exited;
  });

  test("the files are known, its program first, and their addresses", () => {
    const [program] = mappedFiles(process.pid);
    expect(program?.path).toBe(realpathSync(process.execPath));
    expect(mappingsOf(process.pid).has(program?.address ?? -1)).toBe(true);
  });

  test("it is known that no process traces it", () => {
    expect(tracerOf(process.pid)).toBe(0);
  });
});

test("a process that does not exist has nothing", () => {
  expect(threadsOf(NOBODY)).toEqual([]);
  expect(threadState(NOBODY, NOBODY)).toBe("ended");
  expect(childrenOf(NOBODY)).toEqual([]);
  expect(mappedFiles(NOBODY)).toEqual([]);
  expect(tracerOf(NOBODY)).toBe(0);
});
