import { type Result, runStep } from "./run-step.ts";
import { nextStep, type Step } from "./schedule.ts";

/** How steps share a machine. */
export interface RunOptions {
  readonly root: string;
  readonly asRoot: boolean;
  /** The sum of `busy` that may run at once. */
  readonly processors: number;
  /** Steps that are done already. */
  readonly done?: Iterable<string>;
  /** Whether steps begin after one has failed; by default they do not. */
  readonly goesOn?: boolean;
}

/**
 * Runs steps side by side, as far as their needs and the machine allow.
 *
 * @returns the results of those that began, in the order of their ends
 */
export async function runSteps(
  all: readonly Step[],
  { root, asRoot, processors, done: before = [], goesOn = false }: RunOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const done = new Set(before);
  const running = new Map<Step, Promise<void>>();
  let waiting = all;
  const begin = (step: Step): void => {
    waiting = waiting.filter((other) => other !== step);
    process.stdout.write(`begins: ${step.name}\n`);
    const ended = runStep(step, root, asRoot).then((result) => {
      running.delete(step);
      results.push(result);
      if (result.ok || goesOn) done.add(step.name);
      else waiting = [];
    });
    running.set(step, ended);
  };
  for (;;) {
    const next = nextStep({ waiting, running: [...running.keys()], done }, processors);
    if (next !== undefined) begin(next);
    else if (running.size > 0) await Promise.race(running.values());
    else return results;
  }
}
