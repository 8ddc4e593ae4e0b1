import { closeSync, fdatasyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";

const FILE = "acked";

/**
 * The number of the first record that the platform has not acknowledged; 0 where nothing is known. Then records are
 * sent again, which their keys make harmless.
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

/** Keeps the number; either the old or the new one is there afterwards, whatever happens. */
export function writeMark(folder: string, number: number): void {
  const path = join(folder, FILE);
  const fd = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(fd, `${number} ${checkOf(String(number))}\n`);
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
}

function checkOf(number: string): string {
  return Bun.hash.crc32(number).toString(16);
}
