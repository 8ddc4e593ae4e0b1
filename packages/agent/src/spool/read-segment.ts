import type { Disk } from "./disk.ts";
import { decodeRecord } from "./record-format.ts";

/** The content of a segment. */
export interface ReadSegment {
  readonly contents: readonly Uint8Array[];
  /** Bytes at its end that are not records, after a power cut or a fault of the disk. */
  readonly damagedBytes: number;
}

/** Reads a segment as far as its records are whole. */
export function readSegment(disk: Disk, path: string): ReadSegment {
  return decodeSegment(disk.read(path));
}

/** The same for bytes that were read. */
export function decodeSegment(bytes: Uint8Array): ReadSegment {
  const contents: Uint8Array[] = [];
  let place = 0;
  for (;;) {
    const decoded = decodeRecord(bytes, place);
    if (decoded.kind !== "record") return { contents, damagedBytes: bytes.length - place };
    contents.push(decoded.content);
    place = decoded.end;
  }
}
