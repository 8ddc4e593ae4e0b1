import { readAt } from "@svc/kernel";

const MAX_TABLE_BYTES = 1 << 20;

/** A segment of an executable of 64 bits: its part of the file, and its place in memory; elf(5). */
export interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  /** Bytes in the file. */
  readonly length: number;
}

/** The segments that the header of a file names; none if they lead out of the file. */
export function readSegments(fd: number, header: DataView): readonly Segment[] {
  const size = header.getUint16(54, true);
  const count = header.getUint16(56, true);
  if (size < 56 || size * count > MAX_TABLE_BYTES) return [];
  const table = new Uint8Array(size * count);
  if (readAt(fd, table, Number(header.getBigUint64(32, true))) < table.length) return [];
  const view = new DataView(table.buffer);
  return Array.from({ length: count }, (_, index) => ({
    type: view.getUint32(index * size, true),
    offset: Number(view.getBigUint64(index * size + 8, true)),
    address: Number(view.getBigUint64(index * size + 16, true)),
    length: Number(view.getBigUint64(index * size + 32, true)),
  }));
}
