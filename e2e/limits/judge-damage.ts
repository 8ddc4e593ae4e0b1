import type { SweepEnd } from "./judge-start.ts";

/** The text of engine/host/src/sys/damage.rs. */
const DAMAGED = "the executable is damaged";
/** The statuses of a wrapper whose program has not run. */
const REFUSALS: readonly unknown[] = [125, 126, 127];
const SIGNALED = 128;

/** How a start of a damaged wrapper ends. */
export type DamagedEnd =
  /** The program ran with its value: the byte did not matter. */
  | "unharmed"
  /** The wrapper refused the start, and named the damage. */
  | "named"
  /** The start was refused, and the damage is not named. */
  | "refused"
  /** A signal ended it without a word. */
  | "silent"
  /** It had not ended in time. */
  | "hung"
  /** Another status, as of a program. */
  | "wrong";

/**
 * Judges an end. Pure.
 *
 * @param wanted the exit status that says that the program has its value.
 */
export function damagedEnd({ exitCode, stderr }: SweepEnd, wanted: number): DamagedEnd {
  if (exitCode === wanted) return "unharmed";
  if (exitCode === undefined) return "hung";
  if (REFUSALS.includes(exitCode)) return stderr.includes(DAMAGED) ? "named" : "refused";
  return (exitCode ?? 0) > SIGNALED ? "silent" : "wrong";
}

/** Offsets that are spread over a file: each stands in the middle of its part. */
export function spreadOver(length: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * length) / count));
}
