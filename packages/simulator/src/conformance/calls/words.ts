import type { KernelUnderTest, Outcome } from "./kernel-under-test.ts";

/** Flags of open(2) and pipe2(2). */
export const flags = {
  writeOnly: 1,
  readWrite: 2,
  create: 0o100,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
  nonBlocking: 0o4000,
  directory: 0o200000,
  closeOnExec: 0o2000000,
} as const;

/** The bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A C string. */
export function cText(text: string): Uint8Array {
  return bytesOf(`${text}\0`);
}

/** @throws Error if the call was refused. */
export function numberOf(outcome: Outcome): number {
  if (typeof outcome === "number") return outcome;
  throw new Error(`a call that a script depends on was refused: ${outcome}`);
}

/** Both ends of a new pipe. */
export function pipe(kernel: KernelUnderTest, more = 0) {
  const fds = new Int32Array(2);
  numberOf(kernel.call("pipe2", fds, flags.closeOnExec | more));
  const [reads = -1, writes = -1] = fds;
  return { reads, writes };
}

/** Reads, and gives the error or the text. */
export function readText(kernel: KernelUnderTest, fd: number, count: number): string {
  const room = new Uint8Array(count);
  const outcome = kernel.call("read", fd, room, count);
  if (typeof outcome === "string") return outcome;
  return JSON.stringify(new TextDecoder().decode(room.subarray(0, outcome)));
}

/** Writes a text. */
export function writeText(kernel: KernelUnderTest, fd: number, text: string): Outcome {
  return kernel.call("write", fd, bytesOf(text), text.length);
}

/** The present events of a descriptor, without waiting. */
export function polled(kernel: KernelUnderTest, fd: number, wanted: number): string {
  const entry = new Uint8Array(8);
  const view = new DataView(entry.buffer);
  view.setInt32(0, fd, true);
  view.setInt16(4, wanted, true);
  const count = kernel.call("poll", entry, 1, 0);
  const bits = { IN: 1, OUT: 4, ERR: 8, HUP: 0x10, NVAL: 0x20 };
  const present = view.getInt16(6, true);
  const names = Object.entries(bits).filter(([, bit]) => (present & bit) !== 0);
  return `${count} ${names.map(([name]) => name).join("|")}`;
}

/** Opens a file. */
export function open(kernel: KernelUnderTest, path: string, how: number): Outcome {
  return kernel.call("open", cText(path), how | flags.closeOnExec, 0o644);
}
