import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const CHUNK_BYTES = 1 << 20;

/** Counts a text in a process's initial environment, or in all the memory that root can read. */
export function findInMemory(pid: number, where: "environ" | "mem", text: string): number {
  if (where === "environ") return count(readFileSync(`/proc/${pid}/environ`), text);
  const fd = openSync(`/proc/${pid}/mem`, "r");
  try {
    return readableRanges(pid).reduce((sum, range) => sum + countInRange(fd, range, text), 0);
  } finally {
    closeSync(fd);
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** /proc/PID/maps, proc_pid_maps(5). */
function readableRanges(pid: number): readonly Range[] {
  return readFileSync(`/proc/${pid}/maps`, "utf8")
    .split("\n")
    .filter((line) => / r/.test(line))
    .map((line) => line.split(/[- ]/, 2).map((part) => Number.parseInt(part, 16)))
    .map(([start = 0, end = 0]) => ({ start, end }));
}

function countInRange(fd: number, { start, end }: Range, text: string): number {
  const buffer = Buffer.alloc(CHUNK_BYTES + text.length - 1);
  let found = 0;
  for (let at = start; at < end; at += CHUNK_BYTES) {
    try {
      const length = Math.min(buffer.length, end - at);
      found += count(buffer.subarray(0, readSync(fd, buffer, 0, length, at)), text);
    } catch {
      // memfd_secret pages, [vvar] and untouched guard pages cannot be read: that is the point.
      return found;
    }
  }
  return found;
}

function count(bytes: Buffer, text: string): number {
  let found = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) found += 1;
  return found;
}
