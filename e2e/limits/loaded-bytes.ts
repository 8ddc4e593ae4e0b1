import { readFileSync } from "node:fs";

const [PT_LOAD, PF_W] = [1, 2];
/** The kernel's stack and vdso, and the C library's first heap. */
const BESIDE_BYTES = 512 << 10;

/** The memory that an executable takes before its first instruction. */
export interface LoadedBytes {
  readonly all: number;
  readonly writable: number;
}

/** Adds up the segments of an ELF file of 64 bits; elf(5). */
export function loadedBytes(path: string): LoadedBytes {
  const view = new DataView(Uint8Array.from(readFileSync(path)).buffer);
  const start = Number(view.getBigUint64(32, true));
  const [size, count] = [view.getUint16(54, true), view.getUint16(56, true)];
  const segments = Array.from({ length: count }, (_, index) => start + index * size)
    .filter((at) => view.getUint32(at, true) === PT_LOAD)
    .map((at) => ({
      isWritable: (view.getUint32(at + 4, true) & PF_W) !== 0,
      bytes: Number(view.getBigUint64(at + 40, true)),
    }));
  const sum = (found: typeof segments) => found.reduce((total, { bytes }) => total + bytes, 0);
  return {
    all: sum(segments) + BESIDE_BYTES,
    writable: sum(segments.filter(({ isWritable }) => isWritable)) + BESIDE_BYTES,
  };
}
