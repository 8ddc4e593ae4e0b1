import { pause } from "@svc/logging";
import type { EventPump } from "./event-pump.ts";
import type { Reporter } from "./reporter.ts";
import { resumeTarget } from "./resume-target.ts";

/**
 * Between two turns while there are events. The rings have room for 22,000. While the agent does
 * not wait for them, an attempt does not pay for waking it.
 */
const BUSY_MS = 10;

/** Resolves once a ring has a record, or the signal is aborted; as ReadableWait. */
export type UntilReadable = (signal: AbortSignal) => Promise<void>;

/**
 * Reports the events of the rings, in turns, until the signal is aborted. Then it reports the rest.
 * While there are none it waits for the first one, and costs nothing.
 */
export async function pumpEvents(
  pump: Pick<EventPump, "turn" | "finish" | "release" | "counts" | "isSettled" | "hasMore">,
  reporter: Pick<Reporter, "report">,
  {
    signal,
    untilReadable,
  }: { readonly signal: AbortSignal; readonly untilReadable: UntilReadable },
): Promise<void> {
  let read = 0;
  let isWoken = false;
  while (!signal.aborted) {
    const events = pump.turn();
    reporter.report(events);
    pump.release();
    for (const { event } of events) void resumeTarget(event).catch(() => undefined);
    const { violations, everything } = pump.counts().read;
    const isBusy = violations + everything > read || !pump.isSettled;
    read = violations + everything;
    // A record that is begun and not written yet makes a ring readable: it gets a moment, too.
    if (pump.hasMore) await othersTurn();
    else if (isBusy || isWoken) await pause(BUSY_MS, signal);
    else await untilReadable(signal);
    isWoken = !isBusy && !isWoken;
  }
  reporter.report(pump.finish());
  pump.release();
}

/** Wrappers that wait are answered, and lines on their way get out. */
async function othersTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  await promise;
}
