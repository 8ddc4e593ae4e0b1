import type { Totals } from "./totals.ts";

/** A step of tests, and how these ended. */
export interface TestedStep {
  readonly name: string;
  readonly totals: Totals;
}

/**
 * Whether a step's tests have been at work. For an ordinary user it is enough that all of them need
 * root; for root a step in which nothing has passed is broken.
 */
export function hasTested({ passed, skipped }: Totals, asRoot: boolean): boolean {
  return passed > 0 || (!asRoot && skipped > 0);
}

/** Whether the skipped tests make a failure of a run: as root nothing excuses one. */
export function forbidsSkipped({ skipped }: Totals, asRoot: boolean): boolean {
  return asRoot && skipped > 0;
}

/**
 * The line that tells an ordinary user which tests were not run, the step with the most first;
 * undefined if none was skipped.
 */
export function describeNotRun(steps: readonly TestedStep[], target: string): string | undefined {
  const skipping = steps
    .filter(({ totals }) => totals.skipped > 0)
    .toSorted((one, other) => other.totals.skipped - one.totals.skipped);
  if (skipping.length === 0) return undefined;
  const count = skipping.reduce((sum, { totals }) => sum + totals.skipped, 0);
  const [tests, they, them] =
    count === 1 ? ["1 test was", "it needs", "it"] : [`${count} tests were`, "they need", "them"];
  const each = skipping.map(({ name, totals }) => `${name} ${totals.skipped}`).join(", ");
  return `${tests} not run: ${they} root (sudo make ${target} runs ${them}): ${each}`;
}
