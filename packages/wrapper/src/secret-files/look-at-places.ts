import {
  directoryNames,
  entryStatus,
  executablePath,
  folderOf,
  pathStatus,
  SyscallError,
} from "@svc/kernel";
import { type Failure, failure } from "../errors.ts";
import type { FilePlan } from "./file-plan.ts";
import type { OwnMounts } from "./own-mounts.ts";

/** Everything that stands in the way of the files. Nothing is changed. */
export function placeProblems({ folders }: FilePlan, mounts: OwnMounts): readonly Failure[] {
  const found = folders.flatMap(({ path }) => problemOf(path) ?? []);
  const problems = found.map((text) => failure("FILE_PLACE_IMPOSSIBLE", text));
  if (mounts.kind === "own") return problems;
  const text = `mount the files of SVC_FILE_MAP: ${mounts.reason}`;
  return [failure("FILE_PLACE_IMPOSSIBLE", text, mountHint), ...problems];
}

const mountHint =
  "run the wrapper as root with CAP_SYS_ADMIN. If the program takes the path from a variable, give each file #any-path#env=VARIABLE. Or deliver the field as a variable";

/** A missing folder is made later. */
function problemOf(path: string): string | undefined {
  const place = `mount over ${path}`;
  if (isOfWrapper(path)) return `${place}: the wrapper's own files are there`;
  try {
    if (entryStatus(path) === undefined) return undefined;
    if (pathStatus(path).kind !== "folder") return `${place}: it is not a folder`;
    const [first] = directoryNames(path);
    if (first === undefined) return undefined;
    return `${place}: the folder must be empty or missing, and it has ${JSON.stringify(first)}`;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return `${place}: ${error.message}`;
  }
}

/** The folder of the executable and that of its libraries, all below them, and all above. */
function isOfWrapper(path: string): boolean {
  const programs = folderOf(executablePath());
  const own = [programs, `${folderOf(programs)}/lib`];
  return own.some(
    (one) => one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`),
  );
}
