import type { WrapperCode } from "./code/wrapper-code.ts";
import { ProcessOver } from "./machine/errors.ts";
import { runScenario, type Violation } from "./run-scenario.ts";
import { scenarioOf } from "./seeded-scenario.ts";

/** A seed whose run breaks a promise. */
export interface FailedSeed {
  readonly seed: number;
  readonly violation: Violation;
}

/** Seeds to run, one behind the other. */
export interface Seeds {
  readonly first: number;
  readonly count: number;
  /** From one seed to the next of the same worker. */
  readonly step?: number;
}

/**
 * Runs seeds until one breaks a promise. An error that the wrapper's code does not catch breaks
 * one, too.
 *
 * @returns undefined if each keeps them.
 */
export async function firstFailure(
  { first, count, step = 1 }: Seeds,
  code: WrapperCode,
  onDone: (seed: number) => void = () => undefined,
): Promise<FailedSeed | undefined> {
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => {
    if (!(error instanceof ProcessOver)) uncaught.push(error);
  };
  process.on("unhandledRejection", onUncaught);
  try {
    for (let seed = first; seed < first + count; seed += step) {
      const violation = runOrError(seed, code);
      // Rejections are heard of in a later turn.
      await Bun.sleep(0);
      const [error] = uncaught;
      if (violation !== undefined) return { seed, violation };
      if (error !== undefined) return { seed, violation: uncaughtError(error) };
      onDone(seed);
    }
    return undefined;
  } finally {
    process.off("unhandledRejection", onUncaught);
  }
}

function runOrError(seed: number, code: WrapperCode): Violation | undefined {
  try {
    return runScenario(scenarioOf(seed), code).violation;
  } catch (error) {
    return uncaughtError(error);
  }
}

function uncaughtError(error: unknown): Violation {
  const found = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { invariant: "no error is lost", found, atMs: 0 };
}
