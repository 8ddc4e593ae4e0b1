import type { Combination } from "@svc/testing";
import type { Mode } from "./combination-stage.ts";
import type { Verdict } from "./judge-combination.ts";

/** Combinations that end in another way than the agent promises. */
export interface KnownHole {
  readonly number: number;
  readonly mode: Mode;
  /** Of their names. */
  readonly pattern: RegExp;
  readonly verdict: Verdict;
  readonly because: string;
}

/**
 * Those of the tier `tracing`. A change that closes a hole removes its row: the test fails until
 * then.
 */
export const knownHoles: readonly KnownHole[] = [];

/** An agent that stops attempts stops all of them, and one that reports them sees all of them. */
const promises: Readonly<Record<Mode, Verdict>> = { enforce: "stopped", detect: "seen" };

/** The verdict that is agreed to; the first hole with its name decides. */
export function expectedVerdict({ name }: Combination, mode: Mode): Verdict {
  return holeOf(name, mode)?.verdict ?? promises[mode];
}

function holeOf(name: string, mode: Mode): KnownHole | undefined {
  return knownHoles.find((hole) => hole.mode === mode && hole.pattern.test(name));
}
