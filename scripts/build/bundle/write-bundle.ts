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
import { archiveTimeSeconds } from "./archive-time.ts";
import type { BundleFile } from "./bundle-file.ts";

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
    utimesSync(file, archiveTimeSeconds, archiveTimeSeconds);
  }
  for (const path of foldersOf(folder, files)) {
    chmodSync(join(fresh, path), 0o755);
    utimesSync(join(fresh, path), archiveTimeSeconds, archiveTimeSeconds);
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
