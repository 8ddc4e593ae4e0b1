import { statSync, truncateSync } from "node:fs";
import type { Disk } from "./disk.ts";

/** Writes all of it, or leaves the segment as it was and throws. */
export function writeWhole(
  disk: Disk,
  fd: number,
  bytes: Uint8Array,
  segment: { readonly path: string; readonly bytes: number },
): void {
  let done = 0;
  try {
    while (done < bytes.length) done += disk.write(fd, bytes, done);
  } catch (error) {
    cutTo(segment.path, segment.bytes);
    throw error;
  }
}

/** Bytes that cannot be cut off are not a record, and are found to be damaged. */
function cutTo(path: string, bytes: number): void {
  try {
    if (statSync(path).size > bytes) truncateSync(path, bytes);
  } catch {
    // The fault of the write is the one to report.
  }
}
