import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { BundleFile } from "./bundle-file.ts";

// Archives of two builds shall be the same bytes: no time of day, no umask. Not 0, which some tools
// take for "unknown"; 1980 is the first year that every archive format can say.
const timeSeconds = Date.UTC(1980, 0, 1) / 1000;

/** Writes the files below `folder` of `target`, beside it first: it is there whole or as it was. */
export function writeBundle(target: string, folder: string, files: readonly BundleFile[]): void {
  const [fresh, old] = [`${target}.new`, `${target}.old`];
  for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true });
  const base = join(fresh, folder);
  for (const { path, mode, bytes } of files) {
    const file = join(base, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    chmodSync(file, mode);
    utimesSync(file, timeSeconds, timeSeconds);
  }
  for (const path of foldersOf(folder, files)) {
    chmodSync(join(fresh, path), 0o755);
    utimesSync(join(fresh, path), timeSeconds, timeSeconds);
  }
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}

/** Every folder that was made, the deepest first. */
function foldersOf(folder: string, files: readonly BundleFile[]): readonly string[] {
  const found = new Set<string>();
  for (const { path } of files) {
    for (let at = dirname(join(folder, path)); ; at = dirname(at)) {
      found.add(at);
      if (at === ".") break;
    }
  }
  return [...found].sort((a, b) => b.length - a.length);
}
