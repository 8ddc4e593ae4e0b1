import { ReadableWait } from "@svc/kernel";
import { aborted } from "@svc/logging";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import type { EventPump } from "./event-pump.ts";
import { sweepMemory } from "./memory-sweep.ts";
import { pumpEvents } from "./pump-events.ts";
import type { Reporter } from "./reporter.ts";

/** The inputs of readEvents. */
export interface EventReading {
  readonly monitor: Monitor | Blindness;
  /** Undefined if the monitor is blind. */
  readonly pump: EventPump | undefined;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

/** Reports the events of the kernel side until the signal is aborted, and sweeps memory meanwhile. */
export async function readEvents(reading: EventReading): Promise<void> {
  const { monitor, pump, reporter, signal } = reading;
  const rings = isBlind(monitor) ? [] : [monitor.violations, monitor.everything];
  sweepMemory(() => pump?.counts().read.violations ?? 0, rings);
  if (pump === undefined) return aborted(signal);
  using wait = new ReadableWait(rings.map(({ fd }) => fd));
  await pumpEvents(pump, reporter, { signal, untilReadable: () => wait.untilReadable(signal) });
}
