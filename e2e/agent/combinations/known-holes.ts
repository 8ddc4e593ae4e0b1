import type { Combination } from "@svc/testing";
import type { Mode } from "./combination-stage.ts";
import type { Verdict } from "./judge-combination.ts";

/** Combinations that end in another way than the agent promises. */
export interface KnownHole {
  readonly number: number;
  readonly mode: Mode;
  /** The names of its combinations match it. */
  readonly pattern: RegExp;
  readonly verdict: Verdict;
  /** Another task races against the end of the attacker, and may lose: the promise holds then. */
  readonly isRace?: true;
  readonly because: string;
}

/**
 * Those of the tier `tracing`. A change that closes a hole removes its row, for the test fails
 * until then.
 */
export const knownHoles: readonly KnownHole[] = [
  hole(1, "enforce", /^environment(?:-by-ring)?\//, "seen", "readers are only reported"),
  hole(2, "enforce", /^samples\/.*\/before$/, "silent", "an open event is not looked for"),
  hole(
    3,
    "enforce",
    /^core-pattern-by-request\/rewritten\//,
    "silent",
    "the kernel takes its copy after the look, and nothing leads to that copy",
  ),
  hole(4, "detect", /^samples\/.*\/before$/, "silent", "as 2"),
  hole(5, "detect", /^core-pattern-by-request\/rewritten\//, "silent", "as 3"),
  {
    ...hole(
      6,
      "enforce",
      /^maps\/[^/]+\/(?:thread|sibling|twin)\//,
      "seen",
      "a task with the same descriptors uses the new one before the signal has ended it",
    ),
    isRace: true,
  },
];

/** An agent that stops attempts stops all of them, and one that reports them sees all of them. */
export const promises: Readonly<Record<Mode, Verdict>> = { enforce: "stopped", detect: "seen" };

/** The hole that a combination falls through: the first one with its name. */
export function holeOf({ name }: Combination, mode: Mode): KnownHole | undefined {
  return knownHoles.find((each) => each.mode === mode && each.pattern.test(name));
}

/** The verdicts that are agreed to. */
export function expectedVerdicts(combination: Combination, mode: Mode): readonly Verdict[] {
  const hole = holeOf(combination, mode);
  if (hole === undefined) return [promises[mode]];
  return hole.isRace ? [promises[mode], hole.verdict] : [hole.verdict];
}

function hole(
  number: number,
  mode: Mode,
  pattern: RegExp | string,
  verdict: Verdict,
  because: string,
): KnownHole {
  return { number, mode, pattern: new RegExp(pattern), verdict, because };
}
