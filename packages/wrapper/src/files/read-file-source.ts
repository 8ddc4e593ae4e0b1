import {
  closeDescriptor,
  effectiveUserId,
  openRegularFile,
  pathStatus,
  SyscallError,
} from "@svc/kernel";
import type { FileError } from "./file-error.ts";
import { fileFields } from "./file-fields.ts";
import { fileError } from "./file-problem.ts";
import type { FileSecret } from "./file-secret.ts";
import { Changing, exposureOf, type FileExposure, readOpened } from "./opened-file.ts";
import { isOwnError } from "./own-errors.ts";
import { readFolder } from "./read-folder.ts";

/** A swap of a volume's version is over at once. */
const TRIES = 20;

/** A secret out of a file or a folder. */
export interface ReadFile {
  readonly secret: FileSecret;
  readonly exposure: FileExposure;
}

/**
 * Reads the secret of a file, or of a folder, as it is at one moment. If it changes meanwhile, it is
 * read again.
 *
 * @param path absolute
 * @throws FileError
 */
export function readFileSource(path: string): ReadFile {
  for (let tries = 1; ; tries += 1) {
    try {
      return readOnce(path);
    } catch (error) {
      if (!(error instanceof Changing)) throw asFileError(error, path);
      if (tries === TRIES) throw lastError(path, error);
    }
  }
}

/** A name that stays without a file is a link to nothing. */
function lastError(path: string, { missing }: Changing): FileError {
  if (missing === undefined) return fileError({ path }, "changing");
  return fileError({ path, name: missing }, "link to nothing");
}

function asFileError(error: unknown, path: string): unknown {
  if (!(error instanceof SyscallError) || isOwnError(error)) return error;
  return fileError({ path }, { error, user: effectiveUserId() });
}

function readOnce(path: string): ReadFile {
  // Before it is opened: to open a device may do something.
  switch (pathStatus(path).kind) {
    case "folder":
      return readFolder(path);
    case "file":
      return readFile(path);
    case "link":
    case "other":
      throw fileError({ path }, "not a file");
  }
}

function readFile(path: string): ReadFile {
  const fd = openRegularFile(path);
  try {
    const { content, look } = readOpened(fd);
    if (content.length === 0) throw fileError({ path }, "empty");
    const read = fileFields(path.slice(path.lastIndexOf("/") + 1), content);
    if (typeof read === "string") throw fileError({ path }, read);
    return { secret: { path, ...read }, exposure: exposureOf(look, fd) };
  } finally {
    closeDescriptor(fd);
  }
}
