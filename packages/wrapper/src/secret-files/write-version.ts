import {
  changeFileMode,
  changeFileOwner,
  changeMode,
  closeDescriptor,
  createFile,
  cutFile,
  makeFolder,
  makeLink,
  mapDescriptor,
  removeTree,
  renamePath,
  SyscallError,
  takeRoom,
} from "@svc/kernel";
import type { SecretBytes } from "@svc/secret-bytes";
import { type Failure, failure, WrapperError } from "../errors.ts";
import { decodeBase64 } from "./base64.ts";
import { MOST_FILE_BYTES } from "./bounds.ts";
import { CURRENT, type FilePlan, type PlannedFile, VERSION } from "./file-plan.ts";
import { currentVersion, numberOf, removeVersions } from "./remove-versions.ts";

const OPEN_FOLDER = 0o755;

/** A version whose files are all written, and which no path leads to yet. */
export interface WrittenVersion {
  /** Has every path lead to it, at once. */
  readonly publish: () => void;
  /** Removes it again. */
  readonly discard: () => void;
}

/**
 * Writes all files of a new version beside the current one.
 *
 * @param values in the order of the plan's files
 * @throws WrapperError with every file that could not be written; then nothing of it is left.
 */
export function writeVersion(plan: FilePlan, values: readonly SecretBytes[]): WrittenVersion {
  const { home, files } = plan;
  removeVersions(plan, "newer");
  const version = `${VERSION}${numberOf(currentVersion(plan) ?? `${VERSION}0`) + 1}`;
  const folder = `${home}/${version}`;
  makeFolder(folder);
  changeMode(folder, OPEN_FOLDER);
  const failures = files.flatMap((file, index) => {
    const value = values[index];
    if (value === undefined) throw new TypeError("fewer values than files");
    return tryToWrite(`${folder}/${file.name}`, file, value);
  });
  const [first, ...rest] = failures;
  if (first !== undefined) {
    removeVersions(plan, "newer");
    throw new WrapperError([first, ...rest]);
  }
  return {
    publish: () => publish(home, version),
    discard: () => removeVersions(plan, "newer"),
  };
}

/** rename(2) replaces the link in one step. */
function publish(home: string, version: string): void {
  const next = `${home}/..next`;
  removeTree(next);
  makeLink(version, next);
  renamePath(next, `${home}/${CURRENT}`);
}

function tryToWrite(path: string, file: PlannedFile, value: SecretBytes): readonly Failure[] {
  try {
    const problem = write(path, file, value);
    if (problem === undefined) return [];
    const hint = "store base64 of the file, or leave the option base64 out";
    return [
      failure("VALUE_REFUSED", `write ${file.path} from field "${file.field}": ${problem}`, hint),
    ];
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return [failure("FILE_UNWRITTEN", `write ${file.path}: ${error.message}`)];
  }
}

/** @returns why the value cannot be its content. */
function write(path: string, file: PlannedFile, value: SecretBytes): string | undefined {
  const fd = createFile(path);
  try {
    takeRoom(fd, value.length);
    const length = file.base64 ? decodeInto(fd, value) : copyInto(fd, value);
    if (length === undefined) return "the value is not base64";
    if (length > MOST_FILE_BYTES) return "the file is larger than 1 MiB";
    if (length !== value.length) cutFile(fd, length);
    if (file.owner !== undefined) changeFileOwner(fd, file.owner.uid, file.owner.gid);
    changeFileMode(fd, file.mode);
    return undefined;
  } finally {
    closeDescriptor(fd);
  }
}

/** The value goes from the host's memory to that of the file, and nowhere else. */
function copyInto(fd: number, value: SecretBytes): number {
  if (value.length === 0) return 0;
  const mapping = mapDescriptor(fd, value.length, "write");
  try {
    value.writeTo(mapping.bytes);
    return value.length;
  } finally {
    mapping.unmap();
  }
}

function decodeInto(fd: number, value: SecretBytes): number | undefined {
  if (value.length === 0) return 0;
  const mapping = mapDescriptor(fd, value.length, "write");
  try {
    value.writeTo(mapping.bytes);
    return decodeBase64(mapping.bytes);
  } finally {
    mapping.unmap();
  }
}
