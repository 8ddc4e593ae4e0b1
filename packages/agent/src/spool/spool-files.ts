import { readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** A segment that is on the disk. */
export interface SegmentFile {
  /** The number of its first record. */
  readonly first: number;
  readonly path: string;
}

const name = /^(\d{16})\.segment$/;

/** The path of the segment that begins with a record. */
export function segmentPath(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(16, "0")}.segment`);
}

/** The segments of a folder, the oldest first; other files are left alone. */
export function listSegments(folder: string): readonly SegmentFile[] {
  return readdirSync(folder)
    .flatMap((file) => {
      const [, digits] = name.exec(file) ?? [];
      return digits === undefined ? [] : [{ first: Number(digits), path: join(folder, file) }];
    })
    .toSorted((a, b) => a.first - b.first);
}

/**
 * fdatasync(2) of a file by its path, on another thread; false if it failed and the file is still
 * there.
 */
export async function syncPath(path: string): Promise<boolean> {
  try {
    const file = await open(path, "r");
    await file.datasync().finally(() => file.close());
    return true;
  } catch (error) {
    // Acknowledged meanwhile, and gone.
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}
