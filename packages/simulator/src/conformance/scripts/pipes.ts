import type { Scripts } from "../calls/kernel-under-test.ts";
import { flags, pipe, polled, readText, writeText } from "../calls/words.ts";

const { nonBlocking } = flags;
const ALL = 0x1f;
const CAPACITY = 65_536;

/** pipe(7). */
export const pipes: Scripts = {
  "an empty pipe, and one without writers": (kernel) => {
    const { reads, writes } = pipe(kernel, nonBlocking);
    const before = [readText(kernel, reads, 8), polled(kernel, reads, ALL)];
    const written = [writeText(kernel, writes, "abc"), polled(kernel, reads, ALL)];
    const parts = [readText(kernel, reads, 2), readText(kernel, reads, 8)];
    kernel.call("close", writes);
    return [
      ...before,
      ...written,
      ...parts,
      readText(kernel, reads, 8),
      polled(kernel, reads, ALL),
    ];
  },
  "data outlives the last writer": (kernel) => {
    const { reads, writes } = pipe(kernel);
    writeText(kernel, writes, "abc");
    kernel.call("close", writes);
    const full = polled(kernel, reads, ALL);
    return [
      full,
      readText(kernel, reads, 8),
      polled(kernel, reads, ALL),
      readText(kernel, reads, 8),
    ];
  },
  "a pipe without readers": (kernel) => {
    const { reads, writes } = pipe(kernel);
    kernel.call("close", reads);
    const set = new Uint8Array([0, 0x10, 0, 0, 0, 0, 0, 0]);
    const take = () => kernel.call("sigtimedwait", set, null, new BigInt64Array(2));
    return [
      polled(kernel, writes, ALL),
      polled(kernel, writes, 0),
      take(),
      writeText(kernel, writes, "a"),
      take(),
      take(),
    ];
  },
  "a full pipe": (kernel) => {
    const { reads, writes } = pipe(kernel, nonBlocking);
    const many = new Uint8Array(CAPACITY + 5);
    const outcomes = [
      polled(kernel, writes, ALL),
      kernel.call("write", writes, many, many.length),
      kernel.call("write", writes, many, 1),
      polled(kernel, writes, ALL),
      kernel.call("read", reads, many, 4096),
      polled(kernel, writes, ALL),
      kernel.call("write", writes, many, 4000),
      kernel.call("write", writes, many, 4096),
    ];
    return [...outcomes, kernel.call("read", reads, many, many.length)];
  },
  "the wrong end": (kernel) => {
    const { reads, writes } = pipe(kernel);
    return [
      writeText(kernel, reads, "a"),
      readText(kernel, writes, 1),
      polled(kernel, reads, ALL),
      polled(kernel, writes, ALL),
    ];
  },
  "an offset, a length and a mapping of a pipe": (kernel) => {
    const { reads, writes } = pipe(kernel);
    const room = new Uint8Array(8);
    return [
      kernel.call("lseek", reads, 0, 0),
      kernel.call("pread", reads, room, 8, 0),
      kernel.call("pwrite", writes, room, 8, 0),
      kernel.call("ftruncate", writes, 0),
      kernel.call("mmap", 0, 4096, 1, 1, reads, 0),
    ];
  },
  "a write of no bytes and a read of none": (kernel) => {
    const { reads, writes } = pipe(kernel, nonBlocking);
    return [writeText(kernel, writes, ""), polled(kernel, reads, ALL), readText(kernel, reads, 0)];
  },
};
