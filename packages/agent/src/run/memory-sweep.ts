import { giveMemoryBack } from "@svc/kernel";

/** After that long everything has run once that runs at all on a quiet node. */
const START_MS = 3000;
const SWEEP_INTERVAL_MS = 60_000;

/**
 * Gives memory back after the start, and every minute in which there were no events: while they are many, ten milliseconds are
 * ten thousand of them.
 *
 * @param eventsRead how many there were so far
 */
export function sweepMemory(eventsRead: () => number): void {
  let seen = 0;
  const sweep = () => {
    const isQuiet = eventsRead() === seen;
    seen = eventsRead();
    if (isQuiet) giveMemoryBack();
  };
  setTimeout(sweep, START_MS).unref();
  setInterval(sweep, SWEEP_INTERVAL_MS).unref();
}
