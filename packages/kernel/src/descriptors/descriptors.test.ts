import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { descriptorsLeftBy } from "../../testdata/open-descriptors.ts";
import { runFixture } from "../../testdata/run-fixture.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import {
  closeDescriptor,
  makePipe,
  readDescriptor,
  setCloseOnExec,
  writeDescriptor,
  writeIfPossible,
} from "./descriptors.ts";

const NO_DESCRIPTOR = 1 << 20;
const BAD_DESCRIPTOR = { code: "EBADF" };

describe("makePipe", () => {
  test("carries bytes in order, then says that it ended", () => {
    const { readFd, writeFd } = makePipe();
    writeDescriptor(writeFd, Uint8Array.of(1, 2, 3));
    closeDescriptor(writeFd);
    expect(readDescriptor(readFd, 2)).toEqual({ kind: "bytes", bytes: Uint8Array.of(1, 2) });
    expect(readDescriptor(readFd, 2)).toEqual({ kind: "bytes", bytes: Uint8Array.of(3) });
    expect(readDescriptor(readFd, 2)).toEqual({ kind: "end" });
    closeDescriptor(readFd);
  });

  test("says on a non-blocking pipe that nothing is there yet", () => {
    const { readFd, writeFd } = makePipe({ nonBlocking: true });
    expect(readDescriptor(readFd, 1)).toEqual({ kind: "nothing yet" });
    closeDescriptor(readFd);
    closeDescriptor(writeFd);
  });

  for (const nonBlocking of [false, true]) {
    test(`makes ends that close on exec${nonBlocking ? " and do not block" : ""}`, () => {
      const { readFd, writeFd } = makePipe({ nonBlocking });
      for (const fd of [readFd, writeFd]) {
        expect(flagsOf(fd) & 0o2000000).toBe(0o2000000);
        expect((flagsOf(fd) & 0o4000) !== 0).toBe(nonBlocking);
        closeDescriptor(fd);
      }
    });
  }
});

describe("setCloseOnExec", () => {
  test("sets and clears the flag", () => {
    const { readFd, writeFd } = makePipe();
    setCloseOnExec(readFd, false);
    expect(flagsOf(readFd) & 0o2000000).toBe(0);
    setCloseOnExec(readFd, true);
    expect(flagsOf(readFd) & 0o2000000).toBe(0o2000000);
    closeDescriptor(readFd);
    closeDescriptor(writeFd);
  });
});

describe("writeDescriptor", () => {
  test("writes more than a pipe holds", async () => {
    const { readFd, writeFd } = makePipe();
    const counter = Bun.spawn(["wc", "-c"], { stdio: [readFd, "pipe", "inherit"] });
    closeDescriptor(readFd);
    writeDescriptor(writeFd, new Uint8Array(1 << 20));
    closeDescriptor(writeFd);
    expect((await counter.stdout.text()).trim()).toBe(String(1 << 20));
    expect(await counter.exited).toBe(0);
  });
});

describe("writeIfPossible", () => {
  test("writes to a reader", () => {
    const { readFd, writeFd } = makePipe();
    writeIfPossible(writeFd, Uint8Array.of(1));
    expect(readDescriptor(readFd, 8)).toEqual({ kind: "bytes", bytes: Uint8Array.of(1) });
    closeDescriptor(readFd);
    closeDescriptor(writeFd);
  });

  test("loses the bytes if there is no such descriptor", () => {
    expect(() => writeIfPossible(NO_DESCRIPTOR, Uint8Array.of(1))).not.toThrow();
  });

  test("loses the bytes of a closed pipe, and takes its SIGPIPE back", () => {
    expect(runFixture("writes-to-a-closed-pipe")).toEqual({
      raisedByWrite: [13],
      leftByWriteIfPossible: [],
    });
  });
});

describe("a descriptor that is not there", () => {
  const rows: readonly (readonly [name: string, use: () => void])[] = [
    ["cannot be closed", () => closeDescriptor(NO_DESCRIPTOR)],
    ["has no flags", () => setCloseOnExec(NO_DESCRIPTOR, true)],
    ["cannot be read", () => void readDescriptor(NO_DESCRIPTOR, 1)],
    ["cannot be written", () => writeDescriptor(NO_DESCRIPTOR, Uint8Array.of(1))],
  ];
  for (const [name, use] of rows) {
    test(name, () => {
      expect(use).toThrow(SyscallError);
      expect(use).toThrow(expect.objectContaining(BAD_DESCRIPTOR));
    });
  }
});

test("pipes that are closed leave no descriptor", () => {
  const left = descriptorsLeftBy(() => {
    for (let round = 0; round < 20; round++) {
      const { readFd, writeFd } = makePipe();
      closeDescriptor(readFd);
      closeDescriptor(writeFd);
    }
  });
  expect(left).toEqual([]);
});

/** The open flags as the kernel shows them; proc_pid_fdinfo(5). */
function flagsOf(fd: number): number {
  const info = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
  return Number.parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? "", 8);
}
