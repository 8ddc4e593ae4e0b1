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
  readonly because: string;
}

/** Arguments that the kernel side cannot read before the kernel has touched them. */
const unread = "(?:cold|dropped|faulted)";

/**
 * Those of the tier `tracing`. A change that closes a hole removes its row, for the test fails
 * until then.
 */
export const knownHoles: readonly KnownHole[] = [
  hole(1, "enforce", /^environment(?:-by-ring)?\//, "seen", "readers are only reported"),
  hole(2, "enforce", `^maps/${unread}/`, "silent", "an id that cannot be read means nothing"),
  hole(3, "enforce", /^maps\/warm\/(?:sibling|twin)\//, "seen", "a killed opener leaves the map"),
  hole(4, "enforce", `^samples-of-all/${unread}/`, "silent", "unread attributes ask for nothing"),
  hole(
    5,
    "enforce",
    /^samples-of-all\/warm\/(?:sibling|twin)\//,
    "seen",
    "a killed opener leaves the event",
  ),
  hole(6, "enforce", /^samples\/.*\/before$/, "silent", "an open event is not looked for"),
  hole(
    7,
    "enforce",
    /^samples\/(?:warm|cold|dropped)\/(?:sibling|twin)\//,
    "seen",
    "a killed opener leaves the event",
  ),
  hole(8, "enforce", `^probe/${unread}/`, "silent", "unread attributes ask for nothing"),
  hole(
    9,
    "enforce",
    `^region/${unread}/(?:sibling|twin)/32/.*/after$`,
    "seen",
    "a killed opener leaves the region, and the mapping has unread arguments",
  ),
  hole(
    10,
    "enforce",
    `^region/${unread}/.*/before$`,
    "silent",
    "a mapping with unread arguments has no descriptor",
  ),
  hole(
    11,
    "enforce",
    `^region-received/${unread}/`,
    "silent",
    "a mapping with unread arguments has no descriptor",
  ),
  hole(
    12,
    "enforce",
    `^core-pattern-by-request/${unread}/`,
    "silent",
    "the look at requests ends at the first one that cannot be read",
  ),
  hole(13, "enforce", /\/newborn\//, "silent", "a child has a number before it has a mark"),
  hole(
    14,
    "enforce",
    /^(?:maps|samples-of-all|probe|region.*|core-pattern-by-request)\/rewritten\//,
    "silent",
    "the kernel takes its copy after the look",
  ),
  hole(21, "detect", /^maps\//, "silent", "the maps are guarded by an agent that stops alone"),
  hole(22, "detect", `^samples-of-all/${unread}/`, "silent", "as 4"),
  hole(23, "detect", /^samples\/.*\/before$/, "silent", "as 6"),
  hole(24, "detect", `^probe/${unread}/`, "silent", "as 8"),
  hole(25, "detect", /^region\/.*\/before$/, "silent", "mappings are looked at to stop them alone"),
  hole(26, "detect", /^region-received\//, "silent", "as 25, and so are received descriptors"),
  hole(27, "detect", `^core-pattern-by-request/${unread}/`, "silent", "as 12"),
  hole(28, "detect", /\/newborn\//, "silent", "as 13"),
  hole(
    29,
    "detect",
    /^(?:samples-of-all|probe|core-pattern-by-request)\/rewritten\//,
    "silent",
    "as 14",
  ),
];

/** An agent that stops attempts stops all of them, and one that reports them sees all of them. */
export const promises: Readonly<Record<Mode, Verdict>> = { enforce: "stopped", detect: "seen" };

/** The hole that a combination falls through: the first one with its name. */
export function holeOf({ name }: Combination, mode: Mode): KnownHole | undefined {
  return knownHoles.find((each) => each.mode === mode && each.pattern.test(name));
}

/** The verdict that is agreed to. */
export function expectedVerdict(combination: Combination, mode: Mode): Verdict {
  return holeOf(combination, mode)?.verdict ?? promises[mode];
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
