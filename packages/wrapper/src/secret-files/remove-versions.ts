import {
  closeDescriptor,
  descriptorFacts,
  directoryNames,
  entryStatus,
  isOnlyUser,
  openForWriting,
  readLink,
  removeTree,
  SyscallError,
  writeAt,
} from "@svc/kernel";
import { CURRENT, type FilePlan, VERSION } from "./file-plan.ts";

const ZEROES_BYTES = 65_536;

/** The name of the current version; undefined before the first one. */
export function currentVersion({ home }: Pick<FilePlan, "home">): string | undefined {
  try {
    return readLink(`${home}/${CURRENT}`);
  } catch (error) {
    if (error instanceof SyscallError && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * The versions to be removed: `older` than the current one, or `newer`: those of couriers that failed
 * or were killed. While a courier writes a version, that is newer, too.
 */
export type Leftover = "older" | "newer";

/** Removes versions that no path leads to. */
export function removeVersions(plan: Pick<FilePlan, "home">, ...which: readonly Leftover[]): void {
  const current = numberOf(currentVersion(plan) ?? `${VERSION}0`);
  for (const version of directoryNames(plan.home)) {
    if (!version.startsWith(VERSION) || numberOf(version) === current) continue;
    const age = numberOf(version) < current ? "older" : "newer";
    if (which.includes(age)) removeVersion(`${plan.home}/${version}`);
  }
}

/** The number in the name of a version. */
export function numberOf(version: string): number {
  return Number(version.slice(VERSION.length));
}

/** A link that the program has put there is not followed. */
function removeVersion(folder: string): void {
  const isFolder = entryStatus(folder)?.kind === "folder";
  for (const name of isFolder ? directoryNames(folder) : []) removeFile(`${folder}/${name}`);
  removeTree(folder);
}

/** Its pages are overwritten, unless the program still has them: it would read zeroes. */
function removeFile(path: string): void {
  const fd = openIfPossible(path);
  removeTree(path);
  if (fd === undefined) return;
  try {
    if (isOnlyUser(fd)) overwrite(fd);
  } catch (error) {
    // A full file system lacks pages for bytes that were never written.
    if (!(error instanceof SyscallError)) throw error;
  } finally {
    closeDescriptor(fd);
  }
}

function openIfPossible(path: string): number | undefined {
  try {
    return openForWriting(path);
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}

function overwrite(fd: number): void {
  const { size } = descriptorFacts(fd);
  const zeroes = new Uint8Array(Math.min(size, ZEROES_BYTES));
  for (let at = 0; at < size; at += zeroes.length) {
    writeAt(fd, zeroes.subarray(0, Math.min(zeroes.length, size - at)), at);
  }
}
