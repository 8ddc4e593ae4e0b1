import {
  changeMode,
  closeDescriptor,
  createFile,
  makeFolder,
  makeLink,
  removeTree,
  renamePath,
} from "@svc/kernel";
import type { SecretBytes } from "@svc/secret-bytes";
import { WrapperError } from "../errors.ts";
import { CURRENT, type FilePlan, VERSION } from "./file-plan.ts";
import { makeFilled } from "./fill-file.ts";
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
    const made = makeFilled(file, value, () => createFile(`${folder}/${file.name}`));
    if (made.kind === "failed") return [made.failure];
    closeDescriptor(made.fd);
    return [];
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
