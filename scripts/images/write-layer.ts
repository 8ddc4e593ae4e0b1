import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runTool } from "../build/bundle/run-tool.ts";
import type { ImageEntry } from "./image-plan.ts";
import { writeArchive } from "./write-archive.ts";

/**
 * Writes the entries as a compressed layer: `FOLDER.tar.gz`, by way of the folder, which must not
 * be there yet. The same entries give the same bytes.
 *
 * @returns its path
 */
export function writeLayer(entries: readonly ImageEntry[], folder: string): string {
  for (const entry of entries) {
    const path = join(folder, entry.path);
    mkdirSync(dirname(path), { recursive: true });
    write(entry, path);
  }
  const layer = `${folder}.tar`;
  writeArchive(folder, layer);
  // A higher level makes programs no smaller, and takes twice as long.
  runTool(["gzip", "--no-name", "-6", layer]);
  return `${layer}.gz`;
}

function write(entry: ImageEntry, path: string): void {
  if (entry.kind === "link") {
    symlinkSync(entry.to, path);
    return;
  }
  if (typeof entry.from === "string") copyFileSync(entry.from, path);
  else writeFileSync(path, entry.from);
  chmodSync(path, entry.mode);
}
