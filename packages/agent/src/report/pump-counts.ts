import type { RingName } from "../events/ring-name.ts";

/** The counts of read events. */
export interface PumpCounts {
  /** Events of the ring, reported one by one or in a sum. */
  readonly read: Readonly<Record<RingName, number>>;
  /** Records that were not events of this agent's kernel side. */
  readonly unreadable: number;
}
