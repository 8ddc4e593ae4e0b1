import { folderOf, pathIn } from "@svc/kernel";
import {
  type BundleFile,
  type BundleManifest,
  MANIFEST_NAME,
  parseManifest,
} from "./bundle-manifest.ts";
import { failureText, roomProblem } from "./install-problem.ts";

/** Not by import: the compiler would put bytecode of node:fs into the program, 1.4 MB. */
const {
  chmodSync,
  closeSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} = process.getBuiltinModule("node:fs");

/** What was done. */
export interface Installed {
  readonly version: string;
  /** Files that were copied, the manifest among them. */
  readonly copied: number;
  /** Files that were there already, to the byte. */
  readonly kept: number;
  /** Of all files. */
  readonly bytes: number;
}

/** Why the bundle was not installed; the target is as it was. */
export class InstallError extends Error {
  override readonly name = "InstallError";
}

const STAGING = ".svc-install-";
const CHUNK_BYTES = 1024 * 1024;

/**
 * Copies the bundle at `source` into `target`: only the files that are missing or differ. They are
 * all copied beside their places first and then renamed, the manifest last, so that a full disk or
 * a kill leaves no half of a file under its name.
 *
 * @throws InstallError
 */
export function installBundle(source: string, target: string): Installed {
  const { manifest, text } = readManifest(source);
  if (!step(`look at ${target}`, () => statSync(target).isDirectory())) {
    throw new InstallError(failureText(`look at ${target}`, "ENOTDIR"));
  }
  const missing = step(`compare the files of ${target}`, () =>
    manifest.files.filter((file) => !isThere(pathIn(target, file.path), file)),
  );
  const bytes = Buffer.byteLength(text);
  const last: BundleFile = {
    path: MANIFEST_NAME,
    mode: 0o644,
    bytes,
    sha256: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
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

function readManifest(source: string): { manifest: BundleManifest; text: string } {
  const path = pathIn(source, MANIFEST_NAME);
  const step = `read ${path}`;
  const hint = "only the wrapper of a bundle installs itself: `make bundle`, or its image";
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new InstallError(`${step}: ${codeOf(error)} (hint: ${hint})`);
  }
  const manifest = parseManifest(text);
  if (manifest === undefined) {
    throw new InstallError(`${step}: it is not the manifest of a bundle (hint: ${hint})`);
  }
  return { manifest, text };
}

function copyFiles(files: readonly BundleFile[], source: string, target: string): void {
  const inTheWay = files.filter(({ path }) => isFolder(pathIn(target, path)));
  if (inTheWay.length > 0) {
    const names = inTheWay.map(({ path }) => path).join(", ");
    throw new InstallError(`copy into ${target}: folders have the names of files: ${names}`);
  }
  step(`remove what a killed copy left in ${target}`, () => removeStale(target));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const {
    bavail,
    bsize,
    files: inodes,
    ffree,
  } = step(`ask how much room ${target} has`, () => statfsSync(target));
  const freeFiles = inodes === 0 ? Number.POSITIVE_INFINITY : ffree;
  const problem = roomProblem(
    { bytes, files: files.length },
    { freeBytes: bavail * bsize, freeFiles },
  );
  if (problem !== undefined) throw new InstallError(`copy into ${target}: ${problem}`);
  const staging = step(`write to ${target}`, () => mkdtempSync(pathIn(target, STAGING)));
  try {
    for (const file of files) {
      step(`copy ${file.path} to ${target}`, () => stage(file, source, staging));
    }
    for (const { path } of files) {
      step(`rename ${path} in ${target}`, () => place(path, staging, target));
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function removeStale(target: string): void {
  for (const name of readdirSync(target)) {
    if (name.startsWith(STAGING)) rmSync(pathIn(target, name), { recursive: true });
  }
}

function stage({ path, mode, bytes }: BundleFile, source: string, staging: string): void {
  const place = pathIn(staging, path);
  mkdirSync(folderOf(place), { recursive: true });
  copyFileSync(pathIn(source, path), place);
  // Whatever the umask is: the program's user may be another.
  chmodSync(place, mode);
  const { size } = statSync(place);
  if (size !== bytes) throw new InstallError(`copy ${path}: ${size} of ${bytes} bytes`);
}

function place(path: string, staging: string, target: string): void {
  const folder = pathIn(target, folderOf(path));
  mkdirSync(folder, { recursive: true });
  if (folder !== target) chmodIfOwn(folder);
  renameSync(pathIn(staging, path), pathIn(target, path));
}

/** A folder of another user is as that one made it. */
function chmodIfOwn(folder: string): void {
  if (statSync(folder).uid === process.geteuid?.()) chmodSync(folder, 0o755);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isThere(path: string, { mode, bytes, sha256 }: BundleFile): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) return false;
  if (found.size !== bytes || (found.mode & 0o777) !== mode) return false;
  return hashOf(path) === sha256;
}

/** In pieces: the largest file has more than a hundred mebibytes. */
function hashOf(path: string): string {
  const hash = new Bun.CryptoHasher("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const fd = openSync(path, "r");
  try {
    for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
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
  if (error instanceof Error && "code" in error) return String(error.code);
  return error instanceof Error ? error.name : "unknown error";
}
