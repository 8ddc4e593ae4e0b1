import { waitFor } from "@svc/testing";
import type { SeenProcess } from "./processes.ts";
import type { ChainRun } from "./run-chain.ts";

/** On an idle machine; processes come and go while a chain starts. */
const SETTLE_MS = 1500;

/** The differences that a wrapped chain may have. */
export interface Expected {
  readonly showsValues: boolean;
  readonly isTraced: boolean;
}

/**
 * Looks at both runs until nothing is wrong with the wrapped one, and returns the complaints left
 * in the end. A value in a process that lives a moment is not seen; one that stays is.
 */
export async function problemsOf(
  expected: Expected,
  bare: ChainRun,
  wrapped: ChainRun,
): Promise<readonly string[]> {
  let problems: readonly string[] = [];
  await waitFor(
    () => {
      problems = problemsNow(expected, bare, wrapped);
      return problems.length === 0;
    },
    { deadlineMs: SETTLE_MS, what: "a protected chain" },
  ).catch(() => undefined);
  return problems;
}

function problemsNow(
  { showsValues, isTraced }: Expected,
  bare: ChainRun,
  wrapped: ChainRun,
): readonly string[] {
  const all = wrapped.processes();
  const own = all.filter(({ pid }) => pid !== wrapped.pid);
  return [
    ...(showsValues ? [] : all.flatMap(({ leaks }) => leaks)),
    ...(isTraced ? [] : tracedIn(own)),
    ...differences(namesOf(bare.processes()), namesOf(own)),
  ];
}

function tracedIn(processes: readonly SeenProcess[]): readonly string[] {
  return processes
    .filter(({ isTraced }) => isTraced)
    .map(({ pid, name }) => `traced: ${pid} (${name})`);
}

function namesOf(processes: readonly SeenProcess[]): readonly string[] {
  // worker.sh starts one after the other.
  return processes.map(({ name }) => name).filter((name) => name !== "sleep");
}

/** The names of one list that the other lacks, each as often as it is missing. */
export function differences(
  bare: readonly string[],
  wrapped: readonly string[],
): readonly string[] {
  return [
    ...without(wrapped, bare).map((name) => `added process: ${name}`),
    ...without(bare, wrapped).map((name) => `missing process: ${name}`),
  ];
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  const rest = [...others];
  return names.filter((name) => {
    const index = rest.indexOf(name);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}
