import type { SweepPoint } from "./sweep-point.ts";

/** The end of a start. */
export interface SweepEnd {
  /** Undefined if it had not ended when its time was over. */
  readonly exitCode: number | null | undefined;
  readonly stderr: string;
}

/** The statuses of a wrapper whose program has not run, and of a program without its libraries. */
const REFUSALS: readonly unknown[] = [125, 126, 127];

/**
 * The fault of a start; undefined if the program ran with its value, or the start was refused and
 * the cause was named. Pure.
 *
 * @param wanted the exit status that says that the program has its value.
 */
export function faultOf(
  { cause, of }: Pick<SweepPoint, "cause" | "of">,
  { exitCode, stderr }: SweepEnd,
  wanted: number,
): string | undefined {
  if (exitCode === wanted) return undefined;
  if (exitCode === undefined) return "it did not end";
  const last = stderr.trim().split("\n").slice(-2).join(" | ").slice(-300);
  if (!REFUSALS.includes(exitCode)) return `it ended with ${exitCode}: ${last}`;
  if (/"INTERNAL"|panicked/.test(stderr)) return `it blames itself: ${last}`;
  // Without write(2) nothing can be said.
  if (of === "write" && stderr === "") return undefined;
  return cause.test(stderr) ? undefined : `it does not name the cause: ${last}`;
}
