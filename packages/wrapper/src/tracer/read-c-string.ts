import type { ReadWord } from "./initial-stack.ts";

const WORD_BYTES = 8;
// PATH_MAX of the kernel.
const MAX_BYTES = 4096;

/** Reads a path word by word to its NUL, and up to 7 bytes behind it, which are dropped. */
export function readCString(start: number, read: ReadWord): string {
  const bytes: number[] = [];
  for (let at = start; bytes.length < MAX_BYTES; at += WORD_BYTES) {
    const word = wordBytes(read(at));
    const end = word.indexOf(0);
    bytes.push(...(end < 0 ? word : word.subarray(0, end)));
    if (end >= 0) break;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** The bytes of a word in the order of memory. */
export function wordBytes(word: bigint): Uint8Array {
  return new Uint8Array(BigUint64Array.of(word).buffer);
}
