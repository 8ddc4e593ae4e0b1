import {
  closeDescriptor,
  effectiveUserId,
  lookAtDescriptor,
  lookIn,
  namesInFolder,
  openFileIn,
  openFolder,
  openFolderIn,
  SyscallError,
} from "@svc/kernel";
import type { SecretBytes } from "@svc/secret-bytes";
import { fileError, MOST_FOLDER_BYTES, MOST_NAMES } from "./file-problem.ts";
import type { FileSecret } from "./file-secret.ts";
import { Changing, exposureOf, type FileExposure, readOpened } from "./opened-file.ts";
import { isOwnError } from "./own-errors.ts";

/** The link by which a kubelet and the CSI drivers replace all files of a volume at once. */
const DATA = "..data";

/** A folder's files. */
interface FolderFiles {
  readonly fields: ReadonlyMap<string, SecretBytes>;
  readonly exposures: readonly FileExposure[];
}

/** An open folder, and its path for messages. */
interface OpenFolder {
  readonly fd: number;
  readonly path: string;
}

/**
 * Reads a folder whose files are the fields of one secret, all as they are at one moment. The link
 * `..data` is followed once, and all files are read behind it.
 *
 * @throws Changing if a file was changed meanwhile; FileError
 */
export function readFolder(path: string): { secret: FileSecret; exposure: FileExposure } {
  const outer = openFolder(path);
  try {
    const data = openData(outer);
    const fd = data ?? outer;
    try {
      const files = readFiles({ fd, path });
      if (data !== undefined) checkLink(outer, data);
      if (files.fields.size === 0) throw fileError({ path }, "empty folder");
      return { secret: { path, fields: files.fields }, exposure: mostExposed(files.exposures) };
    } finally {
      if (data !== undefined) closeDescriptor(data);
    }
  } catch (error) {
    // The folder was there: a name in it is gone since.
    throw isMissing(error) ? new Changing() : error;
  } finally {
    closeDescriptor(outer);
  }
}

/** Undefined for a folder that no kubelet has made. */
function openData(outer: number): number | undefined {
  try {
    return openFolderIn(outer, DATA);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof SyscallError && error.code === "ENOENT";
}

/** The files of an older version are removed once the link leads to the next one. */
function checkLink(outer: number, data: number): void {
  const { identity } = lookIn(outer, new TextEncoder().encode(DATA));
  if (identity !== lookAtDescriptor(data).identity) throw new Changing();
}

function readFiles(folder: OpenFolder): FolderFiles {
  const { fd, path } = folder;
  const before = lookAtDescriptor(fd).stamp;
  const names = namesInFolder(fd, MOST_NAMES);
  if (names.length > MOST_NAMES) throw fileError({ path }, "too many names");
  const fields = new Map<string, SecretBytes>();
  const stamps: (readonly [name: Uint8Array, stamp: string])[] = [];
  const exposures: FileExposure[] = [];
  let bytes = 0;
  for (const name of names) {
    const file = readNamed(folder, name);
    if (file === undefined) continue;
    bytes += file.content.length;
    if (bytes > MOST_FOLDER_BYTES) throw fileError({ path }, "too large");
    fields.set(file.field, file.content.withoutLineEnd());
    stamps.push([name, file.stamp]);
    exposures.push(file.exposure);
  }
  // One that was read early may have been written while another one was read.
  const isChanged = stamps.some(([name, stamp]) => lookIn(fd, name).stamp !== stamp);
  if (isChanged || lookAtDescriptor(fd).stamp !== before) throw new Changing();
  return { fields, exposures };
}

interface NamedFile {
  readonly field: string;
  readonly content: SecretBytes;
  readonly stamp: string;
  readonly exposure: FileExposure;
}

/** Undefined for a folder in the folder, and for names of the volume's own. */
function readNamed({ fd: folder, path }: OpenFolder, name: Uint8Array): NamedFile | undefined {
  const field = new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
  if (field.startsWith("..")) return undefined;
  const place = { path, name: field };
  if (!isSame(new TextEncoder().encode(field), name)) throw fileError(place, "odd name");
  try {
    const { kind } = lookIn(folder, name);
    if (kind === "folder") return undefined;
    if (kind !== "file") throw fileError(place, "not a file");
    const fd = openFileIn(folder, name);
    try {
      const { content, look } = readOpened(fd);
      return { field, content, stamp: look.stamp, exposure: exposureOf(look, fd) };
    } finally {
      closeDescriptor(fd);
    }
  } catch (error) {
    if (isMissing(error)) throw new Changing(field);
    if (!(error instanceof SyscallError) || isOwnError(error)) throw error;
    throw fileError(place, { error, user: effectiveUserId() });
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function mostExposed(exposures: readonly FileExposure[]): FileExposure {
  return {
    isWorldReadable: exposures.some((one) => one.isWorldReadable),
    // A link may lead out of the folder's own file system.
    isInMemory: exposures.every((one) => one.isInMemory !== false),
  };
}
