import { describe, expect, test } from "bun:test";
import { closeSync, openSync, readdirSync, writeSync } from "node:fs";
import { libc } from "#native";
import { ReadableWait } from "./readable-wait.ts";

const RLIMIT_NOFILE = 7;
const never = new AbortController().signal;

describe("a wait for descriptors", () => {
  for (const index of [0, 1]) {
    test(`ends when descriptor ${index} of two can be read, and again`, async () => {
      using pipes = twoPipes();
      using wait = new ReadableWait(pipes.readers);
      for (let round = 0; round < 3; round += 1) {
        let isOver = false;
        const waiting = wait.untilReadable(never).then(() => {
          isOver = true;
        });
        await new Promise((resolve) => setTimeout(resolve, 5));
        expect(isOver).toBe(false);
        pipes.write(index);
        await waiting;
        pipes.read(index);
      }
    });
  }

  test("ends at once if something can be read already", async () => {
    using pipes = twoPipes();
    using wait = new ReadableWait(pipes.readers);
    pipes.write(1);
    await wait.untilReadable(never);
    await wait.untilReadable(never);
  });

  test("ends when its signal is aborted, before or meanwhile", async () => {
    using pipes = twoPipes();
    using wait = new ReadableWait(pipes.readers);
    await wait.untilReadable(AbortSignal.abort());
    const controller = new AbortController();
    const waiting = wait.untilReadable(controller.signal);
    controller.abort();
    await waiting;
  });

  test("leaves no descriptor", async () => {
    using pipes = twoPipes();
    pipes.write(0);
    const before = descriptors();
    {
      using wait = new ReadableWait(pipes.readers);
      for (let round = 0; round < 50; round += 1) await wait.untilReadable(never);
    }
    expect(descriptors()).toBe(before);
  });

  test("ends by itself if no descriptor is left", async () => {
    using pipes = twoPipes();
    using wait = new ReadableWait(pipes.readers);
    const limits = new BigUint64Array(2);
    libc.getrlimit(RLIMIT_NOFILE, limits);
    libc.setrlimit(RLIMIT_NOFILE, BigUint64Array.of(4n, limits[1] ?? 0n));
    const waiting = wait.untilReadable(never);
    libc.setrlimit(RLIMIT_NOFILE, limits);
    await waiting;
  });

  test("says which call refuses a descriptor", () => {
    const fd = openSync("/etc/hostname", "r");
    const before = descriptors();
    expect(() => new ReadableWait([fd])).toThrow("epoll_ctl");
    expect(descriptors()).toBe(before);
    closeSync(fd);
  });
});

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

function twoPipes() {
  const pipes = [pipe(), pipe()] as const;
  const byte = new Uint8Array(1);
  return {
    readers: pipes.map(([reader]) => reader),
    write: (index: number) => writeSync(pipes[index]?.[1] ?? -1, byte),
    read: (index: number) => Number(libc.read(pipes[index]?.[0] ?? -1, byte, 1)),
    [Symbol.dispose]: () => {
      for (const fd of pipes.flat()) closeSync(fd);
    },
  };
}

function pipe(): readonly [reader: number, writer: number] {
  const ends = new Int32Array(2);
  libc.pipe2(ends, 0);
  return [ends[0] ?? -1, ends[1] ?? -1];
}
