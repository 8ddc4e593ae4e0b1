import type { FileMapping } from "@svc/settings";
import { planFiles } from "./file-plan.ts";
import { placeProblems } from "./look-at-places.ts";
import type { OwnMounts } from "./own-mounts.ts";

/** What `--explain` says of files. */
export interface ExplainedFiles {
  readonly possible: boolean;
  readonly lines: readonly string[];
}

/** Says how files would get to their paths, or everything that stands in the way. */
export function explainFiles(files: readonly FileMapping[], mounts: OwnMounts): ExplainedFiles {
  const plan = planFiles(files);
  if (plan === undefined) return { possible: true, lines: [] };
  const problems = placeProblems(plan, mounts);
  if (problems.length > 0) {
    return { possible: false, lines: problems.map(({ message }) => `impossible: ${message}`) };
  }
  const folders = plan.folders.map(({ path }) => path).join(", ");
  const line = `by a private mount over ${folders}: in memory, on no disk, for this program alone`;
  return { possible: true, lines: [line] };
}
