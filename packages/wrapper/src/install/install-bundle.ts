import {
  changeMode,
  closeDescriptor,
  copyFile,
  directoryNames,
  effectiveUserId,
  entryStatus,
  fileSystemRoom,
  folderOf,
  makeFolders,
  makeTemporaryFolder,
  openForReading,
  pathIn,
  pathStatus,
  readWholeFile,
  removeTree,
  renamePath,
  SyscallError,
  sha256OfFile,
} from "@svc/kernel";
import {
  type BundleFile,
  type BundleManifest,
  MANIFEST_NAME,
  parseManifest,
} from "./bundle-manifest.ts";
import { failureText, roomProblem } from "./install-problem.ts";

/** The result. */
export interface Installed {
  readonly version: string;
  /** Files that were copied, the manifest among them. */
  readonly copied: number;
  /** Files that were there already, to the byte. */
  readonly kept: number;
  /** The size of all files. */
  readonly bytes: number;
}

/** Why the bundle was not installed; the target is as it was. */
export class InstallError extends Error {
  override readonly name = "InstallError";
}

const STAGING = ".svc-install-";
const MOST_MANIFEST_BYTES = 1024 * 1024;

/**
 * Copies the bundle at `source` into `target`: only the files that are missing or differ. It first
 * copies all under temporary names and then renames them, the manifest last. So a full disk or
 * a kill leaves no half of a file under its name.
 *
 * @throws InstallError
 */
export function installBundle(source: string, target: string): Installed {
  const { manifest, bytes } = readManifest(source);
  if (step(`look at ${target}`, () => pathStatus(target).kind) !== "folder") {
    throw new InstallError(failureText(`look at ${target}`, "ENOTDIR"));
  }
  const missing = step(`compare the files of ${target}`, () =>
    manifest.files.filter((file) => !isThere(pathIn(target, file.path), file)),
  );
  const last: BundleFile = {
    path: MANIFEST_NAME,
    mode: 0o644,
    bytes,
    sha256: step(`read ${MANIFEST_NAME}`, () => hashOf(pathIn(source, MANIFEST_NAME))),
  };
  const files = isThere(pathIn(target, last.path), last) ? missing : [...missing, last];
  if (files.length > 0) copyFiles(files, source, target);
  return {
    version: manifest.version,
    copied: files.length,
    kept: manifest.files.length + 1 - files.length,
    bytes: manifest.files.reduce((sum, file) => sum + file.bytes, bytes),
  };
}

function readManifest(source: string): { manifest: BundleManifest; bytes: number } {
  const path = pathIn(source, MANIFEST_NAME);
  const hint = "only the wrapper of a bundle installs itself: `make bundle`, or its image";
  let content: Uint8Array;
  try {
    content = readWholeFile(path, MOST_MANIFEST_BYTES);
  } catch (error) {
    throw new InstallError(`read ${path}: ${codeOf(error)} (hint: ${hint})`);
  }
  const manifest = parseManifest(new TextDecoder().decode(content));
  if (manifest === undefined) {
    throw new InstallError(`read ${path}: it is not the manifest of a bundle (hint: ${hint})`);
  }
  return { manifest, bytes: content.length };
}

function copyFiles(files: readonly BundleFile[], source: string, target: string): void {
  const inTheWay = files.filter(({ path }) => isFolder(pathIn(target, path)));
  if (inTheWay.length > 0) {
    const names = inTheWay.map(({ path }) => path).join(", ");
    throw new InstallError(`copy into ${target}: folders have the names of files: ${names}`);
  }
  step(`remove the remains of a killed copy in ${target}`, () => removeStale(target));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const room = step(`ask how much room ${target} has`, () => fileSystemRoom(target));
  const problem = roomProblem({ bytes, files: files.length }, room);
  if (problem !== undefined) throw new InstallError(`copy into ${target}: ${problem}`);
  const staging = step(`write to ${target}`, () => makeTemporaryFolder(pathIn(target, STAGING)));
  try {
    for (const file of files) {
      step(`copy ${file.path} to ${target}`, () => stage(file, source, staging));
    }
    for (const { path } of files) {
      step(`rename ${path} in ${target}`, () => place(path, staging, target));
    }
  } finally {
    removeTree(staging);
  }
}

function removeStale(target: string): void {
  for (const name of directoryNames(target)) {
    if (name.startsWith(STAGING)) removeTree(pathIn(target, name));
  }
}

function stage({ path, mode, bytes }: BundleFile, source: string, staging: string): void {
  const place = pathIn(staging, path);
  makeFolders(folderOf(place));
  copyFile(pathIn(source, path), place);
  // Regardless of the umask, because the program's user may be another.
  changeMode(place, mode);
  const { size } = pathStatus(place);
  if (size !== bytes) throw new InstallError(`copy ${path}: ${size} of ${bytes} bytes`);
}

function place(path: string, staging: string, target: string): void {
  const folder = pathIn(target, folderOf(path));
  makeFolders(folder);
  if (folder !== target) chmodIfOwn(folder);
  renamePath(pathIn(staging, path), pathIn(target, path));
}

/** A folder of another user is as that one made it. */
function chmodIfOwn(folder: string): void {
  if (pathStatus(folder).uid === effectiveUserId()) changeMode(folder, 0o755);
}

function isFolder(path: string): boolean {
  return entryStatus(path)?.kind === "folder";
}

function isThere(path: string, { mode, bytes, sha256 }: BundleFile): boolean {
  const found = entryStatus(path);
  if (found?.kind !== "file") return false;
  if (found.size !== bytes || (found.mode & 0o777) !== mode) return false;
  return hashOf(path) === sha256;
}

function hashOf(path: string): string {
  const fd = openForReading(path);
  try {
    return sha256OfFile(fd);
  } finally {
    closeDescriptor(fd);
  }
}

function step<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof InstallError) throw error;
    throw new InstallError(failureText(name, codeOf(error)));
  }
}

function codeOf(error: unknown): string {
  if (error instanceof SyscallError) return error.code;
  return error instanceof Error ? error.name : "unknown error";
}
