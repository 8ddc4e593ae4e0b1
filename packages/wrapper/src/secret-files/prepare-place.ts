import {
  changeMode,
  detachMount,
  entryStatus,
  folderOf,
  type MemoryFileSystem,
  makeFolder,
  makeLink,
  mountFolder,
  mountMemory,
  pathStatus,
  removeTree,
  SyscallError,
} from "@svc/kernel";
import { type Failure, failure, failuresOf, WrapperError } from "../errors.ts";
import { placeBounds } from "./bounds.ts";
import type { FilePlan } from "./file-plan.ts";
import { placeProblems } from "./look-at-places.ts";
import type { OwnMounts } from "./own-mounts.ts";

/** For the folders: a program that has given its root away can still reach its files. */
const OPEN_FOLDER = 0o755;

/** Takes the steps back that were taken. */
type Undo = () => void;

/**
 * Mounts the memory of the files over their folders and makes the links at their paths. The links lead
 * nowhere until a courier has written a version. The supervisor never has a value.
 *
 * @throws WrapperError with everything that stands in the way; then all is as it was.
 */
export function preparePlace(plan: FilePlan, mounts: OwnMounts): MemoryFileSystem {
  refuse(placeProblems(plan, mounts));
  const undo: Undo[] = [];
  try {
    for (const { path } of plan.folders) makeMissing(path, undo);
    // Links may lead one folder into another one.
    refuse([...placeProblems(plan, mounts), ...sameFolders(plan)]);
    return fill(plan, undo);
  } catch (error) {
    for (const step of undo.toReversed()) attempt(step);
    if (!(error instanceof SyscallError)) throw error;
    const text = `make the place of SVC_FILE_MAP's files: ${error.message}`;
    throw new WrapperError([failure("FILE_PLACE_IMPOSSIBLE", text)], error);
  }
}

function refuse([first, ...rest]: readonly Failure[]): void {
  if (first !== undefined) throw new WrapperError([first, ...rest]);
}

/** Like `mkdir -p`. The folders stay when the wrapper has ended, and are empty. */
function makeMissing(path: string, undo: Undo[]): void {
  if (entryStatus(path) !== undefined) return;
  makeMissing(folderOf(path), undo);
  try {
    makeFolder(path);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const text = `make the folder ${path}: ${error.message}`;
    throw new WrapperError([failure("FILE_PLACE_IMPOSSIBLE", text)], error);
  }
  undo.push(() => removeTree(path));
}

function sameFolders({ folders }: FilePlan): readonly Failure[] {
  const seen = new Map<string, string>();
  return folders.flatMap(({ path }) => {
    const { device, inode } = pathStatus(path);
    const id = `${device} ${inode}`;
    const other = seen.get(id);
    seen.set(id, path);
    if (other === undefined) return [];
    const text = `mount over ${path}: it is the same folder as ${other}, by a link`;
    return [failure("FILE_PLACE_IMPOSSIBLE", text)];
  });
}

function fill({ home, folders, files }: FilePlan, undo: Undo[]): MemoryFileSystem {
  const memory = mountMemory(home, placeBounds);
  undo.push(() => detachMount(home));
  for (const { path, from } of folders) {
    if (path === home) continue;
    makeOpenFolder(from);
    mountFolder(from, path);
    undo.push(() => detachMount(path));
  }
  for (const { link, leadsTo } of files) {
    makeOpenFolder(folderOf(link));
    makeLink(leadsTo, link);
  }
  return memory;
}

/** Regardless of the umask. */
function makeOpenFolder(path: string): void {
  if (entryStatus(path) !== undefined) return;
  makeOpenFolder(folderOf(path));
  makeFolder(path);
  changeMode(path, OPEN_FOLDER);
}

function attempt(step: Undo): void {
  try {
    step();
  } catch (error) {
    // The first error tells why; the namespace ends with this process.
    failuresOf(error);
  }
}
