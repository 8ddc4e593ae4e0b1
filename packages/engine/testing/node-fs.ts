import {
  changeMode,
  closeDescriptor,
  copyFile,
  directoryNames,
  entryStatus,
  makeFolder,
  makeFolders,
  makeTemporaryFolder,
  openForReading,
  type PathStatus,
  pathStatus,
  readLink,
  readWholeFile,
  removeTree,
  renamePath,
  SyscallError,
  writeAt,
} from "@svc/kernel";
import { testBuffer } from "./buffer.ts";
import { openFile, openForWriting } from "./open-file.ts";
import { changeOwner, makeLink, setTimes } from "./system-calls.ts";

// `node:fs` for tests on the engine, as far as they use it.

const MOST_BYTES = 1 << 25;
const folderBits: Readonly<Record<PathStatus["kind"], number>> = {
  file: 0o100000,
  folder: 0o040000,
  link: 0o120000,
  other: 0,
};

type Path = string | Uint8Array;

/** open(2), as far as tests ask for it. */
export const constants = { O_RDONLY: 0, O_NONBLOCK: 0o4000 } as const;

export const chmodSync = changeMode;
export const chownSync = changeOwner;
export const closeSync = closeDescriptor;
export const mkdtempSync = makeTemporaryFolder;
export const openSync = openFile;
export const readdirSync = (path: string): readonly string[] => directoryNames(path);
export const readlinkSync = readLink;
export const renameSync = renamePath;
export const symlinkSync = makeLink;
export const utimesSync = setTimes;

/** With the permission bits of the source. */
export function copyFileSync(from: string, to: string): void {
  copyFile(from, to);
  changeMode(to, pathStatus(from).mode);
}

export function existsSync(path: string): boolean {
  try {
    pathStatus(path);
    return true;
  } catch {
    return false;
  }
}

export function mkdirSync(
  path: string,
  options: { recursive?: boolean; mode?: number } = {},
): void {
  if (options.recursive === true) makeFolders(path);
  else makeFolder(path, options.mode);
}

export function readFileSync(path: Path, encoding?: "latin1" | "utf8"): Uint8Array | string {
  const bytes = testBuffer.from(readWholeFile(path, MOST_BYTES));
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

export function realpathSync(path: string): string {
  const fd = openForReading(path);
  try {
    return readLink(`/proc/self/fd/${fd}`);
  } finally {
    closeDescriptor(fd);
  }
}

export function rmSync(path: string, { force = false }: { force?: boolean } = {}): void {
  if (!force && entryStatus(path) === undefined) throw new SyscallError("rm", 2);
  removeTree(path);
}

export function statSync(path: string): { readonly mode: number; readonly size: number } {
  const { kind, mode, size } = pathStatus(path);
  return { mode: folderBits[kind] | mode, size };
}

export function writeFileSync(
  path: Path,
  content: string | Uint8Array,
  { mode = 0o666 }: { mode?: number } = {},
): void {
  const fd = openForWriting(path, mode);
  try {
    writeAt(fd, typeof content === "string" ? new TextEncoder().encode(content) : content, 0);
  } finally {
    closeDescriptor(fd);
  }
}
