import type { FileMapping } from "@svc/settings";
import { planFiles } from "./file-plan.ts";
import { placeProblems } from "./look-at-places.ts";
import type { OwnMounts } from "./own-mounts.ts";
import { swapProblem } from "./swap.ts";

/** What `--explain` says of files. */
export interface ExplainedFiles {
  readonly possible: boolean;
  readonly lines: readonly string[];
}

/** Says how files would get to their paths, or everything that stands in the way. */
export function explainFiles(files: readonly FileMapping[], mounts: OwnMounts): ExplainedFiles {
  const plan = planFiles(files);
  if (plan === undefined) return { possible: true, lines: [] };
  const problems = placeProblems(plan, mounts).map(({ message }) => message);
  if (problems.length === 0) {
    const folders = plan.folders.map(({ path }) => path).join(", ");
    const line = `by a private mount over ${folders}: in memory, on no disk, for this program alone`;
    return { possible: true, lines: [line] };
  }
  const mayPass = files.every(({ anyPath }) => anyPath);
  const swap = mayPass ? swapProblem() : undefined;
  if (mayPass && swap === undefined) {
    const reasons = problems.join("; ");
    return {
      possible: true,
      lines: [`by descriptors, at the paths of their variables: ${reasons}`],
    };
  }
  const all = [...problems, ...(swap === undefined ? [] : [swap])];
  return { possible: false, lines: all.map((problem) => `impossible: ${problem}`) };
}
