import { sectionHeadersEnd } from "@svc/kernel";

const WORD_BYTES = 8;
const ELF_HEADER_BYTES = 64;
/** Instructions of arm64 have 4 bytes, and lines of a cache more. */
const ALIGNMENT = 16;
const AT_SYSINFO_EHDR = 33n;
/** The kernel's auxiliary vector is longer, so that no read reaches the strings behind it. */
const CHUNK_BYTES = 256;
const MAX_CHUNKS = 4096;

/**
 * The end of the vDSO, if its last page goes on with zero bytes: there is room for code that no
 * program looks at. Undefined if less than `lengthBytes` are left.
 *
 * @param image the whole mapping; vdso(7).
 */
export function roomInVdso(image: Uint8Array, lengthBytes: number): number | undefined {
  if (image.length < ELF_HEADER_BYTES) return undefined;
  const contentEnd = image.findLastIndex((byte) => byte !== 0) + 1;
  const end = Math.max(sectionHeadersEnd(image), contentEnd);
  const start = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
  return start + lengthBytes <= image.length ? start : undefined;
}

/**
 * The address of the vDSO in a program that stands at its first instruction: the first entry of the
 * auxiliary vector tells it (getauxval(3)). Undefined if another entry is first.
 *
 * @param read reads some bytes of its memory; pointers only, as in InitialStack.
 */
export function vdsoAddress(
  stackPointer: number,
  read: (address: number, length: number) => Uint8Array,
): number | undefined {
  const argc = Number(wordsAt(stackPointer, WORD_BYTES, read)[0]);
  let at = stackPointer + WORD_BYTES * (argc + 2);
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1, at += CHUNK_BYTES) {
    const variablesEnd = wordsAt(at, CHUNK_BYTES, read).indexOf(0n);
    if (variablesEnd < 0) continue;
    const entry = at + WORD_BYTES * (variablesEnd + 1);
    const [type, value] = wordsAt(entry, 2 * WORD_BYTES, read);
    return type === AT_SYSINFO_EHDR ? Number(value) : undefined;
  }
  return undefined;
}

function wordsAt(
  address: number,
  length: number,
  read: (address: number, length: number) => Uint8Array,
): BigUint64Array {
  const bytes = read(address, length);
  return new BigUint64Array(bytes.buffer, bytes.byteOffset, length / WORD_BYTES);
}
