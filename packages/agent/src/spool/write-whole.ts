import { statSync, truncateSync, writeSync } from "node:fs";

/** Writes all of it, or leaves the segment as it was and throws. */
export function writeWhole(
  fd: number,
  bytes: Uint8Array,
  segment: { readonly path: string; readonly bytes: number },
): void {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done);
  } catch (error) {
    if (statSync(segment.path).size > segment.bytes) truncateSync(segment.path, segment.bytes);
    throw error;
  }
}
