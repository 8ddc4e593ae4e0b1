import { dirname } from "node:path";
import { type CpioEntry, cpioArchive } from "./cpio-archive.ts";

const FOLDER = 0o040755;

/** Writes an archive of the entries, the folders that they are in, and others. */
export async function writeArchive(
  path: string,
  entries: readonly CpioEntry[],
  otherFolders: readonly string[],
): Promise<void> {
  const writer = Bun.file(path).writer();
  const parts = cpioArchive([...foldersOf(entries, otherFolders), ...entries]);
  for (const part of parts) await writer.write(part);
  await writer.end();
}

/** Every folder that is needed, each after the one that it is in. */
function foldersOf(entries: readonly CpioEntry[], others: readonly string[]): readonly CpioEntry[] {
  const found = new Set(others);
  for (const { path } of entries) {
    for (let at = dirname(path); at !== "."; at = dirname(at)) found.add(at);
  }
  return [...found].sort().map((path) => ({ path, mode: FOLDER, content: new Uint8Array(0) }));
}
