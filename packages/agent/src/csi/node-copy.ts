import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { removeTree } from "@svc/kernel";
import type { DriverPlaces } from "./driver.ts";

/** In the bundle, with the list of its files: bundles of one manifest are the same. */
const MANIFEST = "manifest.json";
const CURRENT = "current";
const PREFIX = "bundle-";

/**
 * Makes the init container's copy the node's copy of the wrapper, and removes earlier ones:
 * volumes of pods keep the files that they have links to. Killed at any moment, it goes on from
 * there the next time.
 *
 * @returns the copy's folder; undefined before the first copy.
 * @throws Error of the file system.
 */
export function adoptNodeCopy({ folder, incoming }: DriverPlaces): string | undefined {
  const current = join(folder, CURRENT);
  if (existsSync(join(incoming, MANIFEST))) {
    const name = `${PREFIX}${digestOf(join(incoming, MANIFEST))}`;
    if (existsSync(join(folder, name))) removeTree(incoming);
    else renameSync(incoming, join(folder, name));
    removeTree(`${current}.new`);
    symlinkSync(name, `${current}.new`);
    renameSync(`${current}.new`, current);
  }
  if (!existsSync(join(current, MANIFEST))) return undefined;
  const name = readlinkSync(current);
  for (const other of readdirSync(folder)) {
    if (other.startsWith(PREFIX) && other !== name) removeTree(join(folder, other));
  }
  return join(folder, name);
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 32);
}
