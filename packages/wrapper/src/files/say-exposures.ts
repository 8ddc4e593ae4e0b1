import type { Logger } from "../log.ts";
import type { ReadFile } from "./read-file-source.ts";

/** More would fill the log. */
const MOST_NAMED = 20;

/**
 * Says who else may read the files. The program runs as the wrapper's user, so it may: the promise
 * of a delivery is about everything behind the file.
 */
export function sayExposures(log: Logger, files: readonly ReadFile[]): void {
  log.info("the program, and others of its user, can read these files themselves", {
    files: pathsOf(files),
  });
  const open = files.filter(({ exposure }) => {
    return exposure.isWorldReadable && exposure.isInMemory === false;
  });
  if (open.length === 0) return;
  log.warn("secrets rest on a disk, and every user who reaches their files may read them", {
    files: pathsOf(open),
    hint: "chmod o-r, and keep them in memory: LoadCredential=, a mounted Secret, or another tmpfs",
  });
}

function pathsOf(files: readonly ReadFile[]): string {
  const paths = [...new Set(files.map(({ secret }) => secret.path))];
  const rest = paths.length > MOST_NAMED ? [`and ${paths.length - MOST_NAMED} more`] : [];
  return [...paths.slice(0, MOST_NAMED), ...rest].join(", ");
}
