import { type Failure, failure } from "../errors.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";
import { swapProblem } from "./swap.ts";

/** Why a program cannot have its files by descriptors. */
export function descriptorProblems(
  settings: Pick<WrapperSettings, "supervise" | "rotation">,
): readonly Failure[] {
  const problems = [
    swapProblem(),
    settings.supervise === "never"
      ? "with SVC_SUPERVISE=never the wrapper has no courier that passes them on"
      : undefined,
    rotationOf(settings).refreshes
      ? "SVC_ROTATION is sighup, and nothing can replace them in a running program"
      : undefined,
  ];
  return problems.flatMap((problem) => {
    if (problem === undefined) return [];
    return [failure("FILE_PLACE_IMPOSSIBLE", `pass files by descriptors: ${problem}`, hint)];
  });
}

const hint = "let the wrapper mount (CAP_SYS_ADMIN), or take SVC_ROTATION=restart and no swap";
