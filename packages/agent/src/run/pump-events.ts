import { pause } from "@svc/logging";
import type { EventPump } from "./event-pump.ts";
import type { Reporter } from "./reporter.ts";
import { resumeTarget } from "./resume-target.ts";

/**
 * How long the rings are left alone: each has room for 30,000 events, and a reader that they wake would cost whoever attempts 5 µs.
 * An agent that has nothing to do wakes the processor less often.
 */
const BUSY_MS = 10;
const QUIET_MS = 20;

/** Reports what the rings have, in turns, until the signal is aborted; and then what is left. */
export async function pumpEvents(
  pump: EventPump,
  reporter: Pick<Reporter, "report">,
  signal: AbortSignal,
): Promise<void> {
  let read = 0;
  while (!signal.aborted) {
    const events = pump.turn();
    reporter.report(events);
    for (const { event } of events) void resumeTarget(event).catch(() => undefined);
    const { violations, everything } = pump.counts().read;
    const isBusy = violations + everything > read;
    read = violations + everything;
    await pause(isBusy ? BUSY_MS : QUIET_MS, signal);
  }
  reporter.report(pump.finish());
}
