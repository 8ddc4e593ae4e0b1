import type { KernelUnderTest, Outcome, Script } from "./calls/kernel-under-test.ts";
import { numberOf, open, pipe, readText } from "./calls/words.ts";
import { memoryFile } from "./scripts/memory.ts";
import { pair } from "./scripts/sockets.ts";

/** A place where the simulated kernel differs from the real one on purpose. */
export interface Difference {
  readonly name: string;
  /** The conduct of Linux. */
  readonly kernel: string;
  /** The conduct of the model. */
  readonly model: string;
  /** The reason that the wrapper does not depend on it. */
  readonly harmless: string;
  /** Shows the difference: a row that has become stale fails. */
  readonly script: Script;
  readonly real: readonly Outcome[];
  readonly simulated: readonly Outcome[];
}

const HUP = 1;
const F_ADD_SEALS = 1033;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
const CLOSE_RANGE = 436;
const START_TIME = 21;

/** Each place that is known. */
export const simpler: readonly Difference[] = [
  {
    name: "a mapping that is longer than its file",
    kernel: "mmap succeeds, and a touch behind the end raises SIGBUS",
    model: "mmap refuses it with EINVAL",
    harmless: "the wrapper sets the size of a file before it maps it",
    script: (kernel) => {
      const outcome = kernel.call("mmap", 0, 4096, 3, 1, memoryFile(kernel), 0);
      return [typeof outcome === "number" ? "mapped" : outcome];
    },
    real: ["mapped"],
    simulated: ["EINVAL"],
  },
  {
    name: "seals",
    kernel: "a memory file that was not made for seals refuses them with EPERM",
    model: "F_ADD_SEALS succeeds and does nothing",
    harmless: "the wrapper itself never tries a change that a seal forbids",
    script: (kernel) => [kernel.call("fcntl", memoryFile(kernel), F_ADD_SEALS, 1)],
    real: ["EPERM"],
    simulated: [0],
  },
  {
    name: "close_range",
    kernel: "it closes the descriptors of the range",
    model: "it succeeds and does nothing",
    harmless: "the model's fork hands on no descriptor that the child is not meant to have",
    script: (kernel) => {
      const { reads } = pipe(kernel, O_NONBLOCK);
      return [kernel.call("syscall", CLOSE_RANGE, reads, reads, 0), readText(kernel, reads, 1)];
    },
    real: [0, "EBADF"],
    simulated: [0, "EAGAIN"],
  },
  {
    name: "room of a socket",
    kernel: "a socket takes as many bytes as its buffer has room for",
    model: "a socket takes any number",
    harmless: "messages to couriers are short; a full buffer (EAGAIN) is not simulated",
    script: (kernel) => {
      const [one] = pair(kernel);
      kernel.call("fcntl", one, F_SETFL, O_NONBLOCK);
      const many = new Uint8Array(64 << 20);
      const taken = numberOf(kernel.call("write", one, many, many.length));
      return [taken === many.length ? "all" : "a part"];
    },
    real: ["a part"],
    simulated: ["all"],
  },
  {
    name: "the sender of a signal",
    kernel: "sigtimedwait tells the pid of the sender",
    model: "it tells 0",
    harmless: "the wrapper passes signals on without a look at their sender",
    script: (kernel) => {
      const info = new Int32Array(32);
      kernel.call("kill", kernel.pid, HUP);
      const set = new Uint8Array(128).fill(1, 0, 1);
      kernel.call("sigtimedwait", set, info, new BigInt64Array(2));
      return [info[4] === kernel.pid ? "own pid" : (info[4] ?? -1)];
    },
    real: ["own pid"],
    simulated: [0],
  },
  {
    name: "the start time of a process",
    kernel: "field 22 of /proc/PID/stat is the time of the start",
    model: "it is 0",
    harmless: "pids of the model are never used again, so that a pid alone names a process",
    script: (kernel) => [startTime(kernel) === "0" ? "0" : "a time"],
    real: ["a time"],
    simulated: ["0"],
  },
];

function startTime(kernel: KernelUnderTest): string | undefined {
  const text = readText(kernel, numberOf(open(kernel, "/proc/self/stat", 0)), 1024);
  return text.slice(text.lastIndexOf(")") - 1).split(" ")[START_TIME - 1];
}
