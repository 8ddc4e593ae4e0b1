import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";

/** The contents of the place of the pins, before an agent uses it. */
export interface FoundPins {
  /** `absent`, or the agent's folder, or something that no agent has made. */
  readonly place: "absent" | "folder" | "other";
  /** Names of pinned objects in the folder. */
  readonly pins: readonly string[];
  /** Things that no agent leaves there, each with its path. */
  readonly strange: readonly string[];
}

/** Looks at the place of the pins, and opens nothing there. */
export function findPins(folder: string): FoundPins {
  const status = statusOf(folder);
  if (status === undefined) return { place: "absent", pins: [], strange: [] };
  if (!status.isDirectory()) {
    return { place: "other", pins: [], strange: [described(folder, status)] };
  }
  const pins: string[] = [];
  const strange: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const found = statusOf(path);
    if (found?.isFile()) pins.push(name);
    else if (found) strange.push(described(path, found));
  }
  return { place: "folder", pins, strange };
}

function statusOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function described(path: string, status: Stats): string {
  if (status.isDirectory()) return `${path} is a folder`;
  if (status.isSymbolicLink()) return `${path} is a symbolic link to ${readlinkSync(path)}`;
  // A BPF file system has no other files.
  return status.isFile() ? `${path} is a pinned object` : `${path} is a special file`;
}
