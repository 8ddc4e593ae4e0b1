import { readAt } from "@svc/kernel";
import type { Segment } from "./elf-segments.ts";

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;
const ENTRY_BYTES = 16;
const MAX_ENTRIES = 1024;
const MAX_NAME_BYTES = 256;

/**
 * The libraries that a dynamic executable names, in their order; elf(5), DT_NEEDED. A section that
 * cannot be understood gives none.
 */
export function neededLibraries(fd: number, segments: readonly Segment[]): readonly string[] {
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) return [];
  const entries = readEntries(fd, dynamic);
  const table = entries.find(({ tag }) => tag === DT_STRTAB)?.value;
  const start = table === undefined ? undefined : offsetOf(Number(table), segments);
  if (start === undefined) return [];
  return entries
    .filter(({ tag }) => tag === DT_NEEDED)
    .map(({ value }) => nameAt(fd, start + Number(value)));
}

function readEntries(fd: number, { offset, length }: Segment) {
  const bytes = new Uint8Array(Math.min(length, MAX_ENTRIES * ENTRY_BYTES));
  const view = new DataView(bytes.buffer, 0, readAt(fd, bytes, offset));
  return Array.from({ length: Math.floor(view.byteLength / ENTRY_BYTES) }, (_, index) => ({
    tag: view.getBigUint64(index * ENTRY_BYTES, true),
    value: view.getBigUint64(index * ENTRY_BYTES + 8, true),
  }));
}

/** The place in the file of an address. */
function offsetOf(address: number, segments: readonly Segment[]): number | undefined {
  const load = segments.find(
    (one) => one.type === PT_LOAD && address >= one.address && address < one.address + one.length,
  );
  return load && address - load.address + load.offset;
}

function nameAt(fd: number, offset: number): string {
  const bytes = new Uint8Array(MAX_NAME_BYTES);
  const read = bytes.subarray(0, readAt(fd, bytes, offset));
  return new TextDecoder().decode(read).replace(/\0.*$/s, "");
}
