import { giveMemoryBack } from "@svc/kernel";

/**
 * After that long most has run once that runs at all on a quiet node, and all of it after the
 * second time.
 */
const START_MS = [3000, 20_000];
const SWEEP_INTERVAL_MS = 60_000;

/** A part that gives memory back until it is used again. */
export interface Resting {
  readonly rest: () => void;
}

/**
 * Gives memory back after the start, and every minute in which there were no events: while they are
 * many, ten milliseconds are ten thousand of them.
 *
 * @param eventsRead how many there were so far
 */
export function sweepMemory(eventsRead: () => number, parts: readonly Resting[]): void {
  let seen = 0;
  const sweep = () => {
    for (const part of parts) part.rest();
    giveMemoryBack();
  };
  const sweepQuiet = () => {
    const isQuiet = eventsRead() === seen;
    seen = eventsRead();
    if (isQuiet) sweep();
  };
  for (const startMs of START_MS) setTimeout(sweep, startMs).unref();
  setInterval(sweepQuiet, SWEEP_INTERVAL_MS).unref();
}
