import { TestingError } from "./errors.ts";

/** How often the condition is asked. */
const INTERVAL_MS = 10;

/**
 * Deadlines are meant for a machine that is idle; at load 12 on two processors all takes six times
 * as long.
 */
const PATIENCE = 6;

/** What to wait for and how long. */
export interface WaitOptions {
  /** On an idle machine; a busy one is given six times as long. */
  readonly deadlineMs: number;
  /** The condition, for the message: `the server to be ready`. */
  readonly what: string;
  /** 1 if it is not a failure that the time is over; by default 6. */
  readonly patience?: number;
}

/**
 * Asks `condition` until it gives something other than false, null or undefined, and returns that.
 * Throws `DEADLINE` after six times `deadlineMs`; an error of the condition ends the wait at once.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const deadlineMs = options.deadlineMs * (options.patience ?? PATIENCE);
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (isThere(value)) return value;
    if (performance.now() >= end) {
      throw new TestingError("DEADLINE", `wait for ${options.what}: not within ${deadlineMs} ms`);
    }
    await Bun.sleep(INTERVAL_MS);
  }
}

function isThere<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}
