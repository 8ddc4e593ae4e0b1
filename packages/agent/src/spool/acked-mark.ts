import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Disk } from "./disk.ts";
import { writeWhole } from "./write-whole.ts";

const FILE = "acked";

/**
 * The number of the first record that the platform has not acknowledged; 0 if nothing is known.
 * Then records are sent again, which their keys make harmless.
 */
export function readMark(folder: string): number {
  try {
    const [, number = "", check = ""] =
      /^(\d{1,16}) ([0-9a-f]{1,8})\n$/.exec(readFileSync(join(folder, FILE), "utf8")) ?? [];
    return checkOf(number) === check ? Number(number) : 0;
  } catch {
    return 0;
  }
}

/** Keeps the number; in every case either the old or the new one is there afterwards. */
export function writeMark(disk: Disk, folder: string, number: number): void {
  const path = join(folder, FILE);
  const fd = disk.open(`${path}.new`, "w");
  try {
    const text = `${number} ${checkOf(String(number))}\n`;
    writeWhole(disk, fd, new TextEncoder().encode(text), { path: `${path}.new`, bytes: 0 });
    disk.sync(fd);
  } finally {
    closeSync(fd);
  }
  disk.rename(`${path}.new`, path);
}

function checkOf(number: string): string {
  return Bun.hash.crc32(number).toString(16);
}
