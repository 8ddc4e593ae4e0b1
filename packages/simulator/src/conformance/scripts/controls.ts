import type { KernelUnderTest, Outcome, Scripts } from "../calls/kernel-under-test.ts";
import { cText, numberOf, open } from "../calls/words.ts";

const [GET_DUMPABLE, SET_DUMPABLE, SET_NAME] = [3, 4, 15];
const [REALTIME, MONOTONIC] = [0, 1];

/** prctl(2) and clock_gettime(2). */
export const controls: Scripts = {
  "a process that is not dumpable any more": (kernel) =>
    [
      () => kernel.call("prctl", SET_DUMPABLE, 1),
      () => kernel.call("prctl", SET_DUMPABLE, 0),
    ].flatMap((set) => [set(), kernel.call("prctl", GET_DUMPABLE)]),
  "a name is cut to 15 bytes": (kernel) => [named(kernel, "0123456789abcdef"), named(kernel, "x")],
  "clocks go on": (kernel) =>
    [MONOTONIC, REALTIME].flatMap((clock) => {
      const [first, second] = [timeOf(kernel, clock), timeOf(kernel, clock)];
      return [String(second >= first), String(first > 0n)];
    }),
};

function named(kernel: KernelUnderTest, name: string): Outcome {
  kernel.call("prctl", SET_NAME, kernel.addressOf(cText(name)));
  const fd = numberOf(open(kernel, "/proc/self/stat", 0));
  const room = new Uint8Array(256);
  kernel.call("read", fd, room, room.length);
  return new TextDecoder().decode(room).split(" ")[1] ?? "";
}

function timeOf(kernel: KernelUnderTest, clock: number): bigint {
  const time = new BigInt64Array(2);
  kernel.call("clock_gettime", clock, time);
  const [seconds = 0n, nanoseconds = 0n] = time;
  return seconds * 1_000_000_000n + nanoseconds;
}
