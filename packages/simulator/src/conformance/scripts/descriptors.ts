import type { KernelUnderTest, Scripts } from "../calls/kernel-under-test.ts";
import { flags, numberOf, open, pipe, polled, readText, writeText } from "../calls/words.ts";

const DUP = 1030;
const GETFD = 1;
const SETFD = 2;
const GETFL = 3;
const SETFL = 4;
const NOFILE = 7;

/** close(2), fcntl(2) and getrlimit(2). */
export const descriptors: Scripts = {
  "the lowest free number is taken, from the least one on": (kernel) => {
    const { reads, writes } = pipe(kernel);
    kernel.call("close", reads);
    const again = numberOf(kernel.call("fcntl", writes, DUP, 0));
    const least = [400, 400, 410].map((from) => kernel.call("fcntl", writes, DUP, from));
    kernel.call("close", 400);
    return [again - reads, ...least, kernel.call("fcntl", writes, DUP, 400)];
  },
  "close-on-exec belongs to the descriptor": (kernel) => {
    const { writes } = pipe(kernel);
    const copy = numberOf(kernel.call("fcntl", writes, DUP, 0));
    return [
      kernel.call("fcntl", writes, GETFD, 0),
      kernel.call("fcntl", writes, SETFD, 0),
      kernel.call("fcntl", writes, GETFD, 0),
      kernel.call("fcntl", copy, GETFD, 0),
    ];
  },
  "O_NONBLOCK belongs to the description": (kernel) => {
    const { reads } = pipe(kernel);
    const copy = numberOf(kernel.call("fcntl", reads, DUP, 0));
    return [
      kernel.call("fcntl", copy, GETFL, 0),
      kernel.call("fcntl", reads, SETFL, flags.nonBlocking),
      kernel.call("fcntl", copy, GETFL, 0),
      readText(kernel, copy, 1),
    ];
  },
  "the flags of a writer and of a file": (kernel) => {
    const { writes } = pipe(kernel);
    const file = numberOf(open(kernel, `${kernel.folder}/a`, flags.create | flags.readWrite));
    const access = (fd: number) => numberOf(kernel.call("fcntl", fd, GETFL, 0)) & 0o4003;
    return [access(writes), access(file)];
  },
  "a number that is not open": (kernel) => [
    kernel.call("close", 777),
    kernel.call("fcntl", 777, GETFD, 0),
    kernel.call("fcntl", 777, DUP, 0),
    readText(kernel, 777, 1),
    writeText(kernel, 777, "a"),
    kernel.call("lseek", 777, 0, 0),
    kernel.call("ftruncate", 777, 0),
    polled(kernel, 777, 5),
    polled(kernel, -1, 5),
  ],
  "the limit of open files": (kernel) => {
    const { reads } = pipe(kernel);
    const limit = new BigInt64Array(2);
    kernel.call("getrlimit", NOFILE, new Uint8Array(limit.buffer));
    const last = numberOf(kernel.call("fcntl", reads, DUP, 500));
    const [before = 0n] = limit;
    limit[0] = 501n;
    const lowered = kernel.call("setrlimit", NOFILE, new Uint8Array(limit.buffer));
    const fill = () => kernel.call("fcntl", reads, DUP, 0);
    while (typeof fill() === "number");
    const outcomes = [
      lowered,
      fill(),
      kernel.call("pipe2", new Int32Array(2), 0),
      kernel.call("fcntl", reads, DUP, 501),
      open(kernel, "/dev/null", 0),
    ];
    outcomes.push(kernel.call("close", last), fill());
    limit[0] = before;
    kernel.call("setrlimit", NOFILE, new Uint8Array(limit.buffer));
    return outcomes;
  },
  "an offset is shared with a duplicate": (kernel) => {
    const file = abc(kernel);
    const copy = numberOf(kernel.call("fcntl", file, DUP, 0));
    const apart = numberOf(open(kernel, `${kernel.folder}/abc`, 0));
    kernel.call("lseek", file, 1, 0);
    return [readText(kernel, copy, 1), readText(kernel, file, 1), readText(kernel, apart, 1)];
  },
};

function abc(kernel: KernelUnderTest): number {
  const how = flags.create | flags.readWrite;
  const file = numberOf(open(kernel, `${kernel.folder}/abc`, how));
  writeText(kernel, file, "abc");
  return file;
}
