import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";

const svc = join(import.meta.dirname, "../../dist/bin/svc");
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const secrets = join(folder.path, ".env");
writeFileSync(secrets, "API_KEY=k-1\n");

/** Each program writes the pids of its processes, and would run for minutes. */
const programs = {
  "a program with a child": 'sleep 300 & echo "$$ $!" > "$1"; wait',
  "a program whose child is in a new session": 'setsid sleep 300 & echo "$$ $!" > "$1"; wait',
  "a program that ignores SIGTERM": 'trap "" TERM; echo "$$" > "$1"; while :; do sleep 1; done',
} as const;

describe("svc dev that is killed leaves nothing of", () => {
  for (const [name, script] of Object.entries(programs)) {
    test(name, async () => {
      const file = join(folder.path, crypto.randomUUID());
      const words = ["dev", "--secrets", secrets, "--", "sh", "-c", script, "sh", file];
      await using child = Bun.spawn([svc, ...words], {
        env: { PATH: process.env["PATH"] ?? "", SVC_STOP_GRACE: "1s" },
        stdio: ["ignore", "ignore", "ignore"],
      });
      await waitFor(() => existsSync(file) && readFileSync(file, "latin1").endsWith("\n"), {
        what: "the program's pids",
        deadlineMs: 60_000,
      });
      const program = readFileSync(file, "latin1").trim().split(" ").map(Number);
      const pids = [wrapperOf(program[0] ?? 0), ...program];
      expect(pids.map(isRunning)).toEqual(pids.map(() => true));
      child.kill("SIGKILL");
      await waitFor(() => !pids.some(isRunning), { what: "their end", deadlineMs: 60_000 });
    });
  }

  // The wrapper may not have begun to watch svc dev yet.
  for (const delayMs of [0, 20, 40, 80, 160]) {
    test(`itself ${delayMs} ms after its wrapper was started`, async () => {
      const mark = `SVC_TEST_MARK=${crypto.randomUUID()}`;
      const words = ["dev", "--secrets", secrets, "--", "sleep", "300"];
      await using child = Bun.spawn(["/usr/bin/env", mark, svc, ...words], {
        env: { PATH: process.env["PATH"] ?? "", SVC_STOP_GRACE: "1s" },
        stdio: ["ignore", "ignore", "ignore"],
      });
      await waitFor(() => markedBy(mark).length > 1, { what: "the wrapper", deadlineMs: 60_000 });
      await Bun.sleep(delayMs);
      child.kill("SIGKILL");
      await waitFor(() => markedBy(mark).length === 0, { what: "their end", deadlineMs: 60_000 });
    });
  }
});

function wrapperOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

/** A zombie is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** The running processes with this entry in their environment. */
function markedBy(mark: string): number[] {
  const pids = [...new Bun.Glob("[0-9]*").scanSync({ cwd: "/proc", onlyFiles: false })];
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
}
