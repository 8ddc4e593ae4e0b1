import type { Disk } from "./disk.ts";
import type { SpoolFault } from "./spool-faults.ts";

/** How a spool is kept. */
export interface SpoolOptions {
  /** Its own; made if it is not there. */
  readonly folder: string;
  /** The most bytes of the spool; by default 64 MiB. The oldest goes first. */
  readonly mostBytes?: number;
  /** The bytes of one file; by default an eighth of that, and at most 1 MiB. */
  readonly segmentBytes?: number;
  /** Called when the disk begins to refuse something. */
  readonly onFault?: (fault: SpoolFault) => void;
  readonly disk?: Disk;
}

/** The records of a spool, and its losses. */
export interface SpoolCounts {
  /** Records that wait. */
  readonly waiting: number;
  /** On the disk. */
  readonly bytes: number;
  /** Records that were given up for newer ones since it was opened. */
  readonly evicted: number;
  /** Records that the disk did not take. */
  readonly refused: number;
  /** Bytes that were not records when it was opened. */
  readonly damagedBytes: number;
}
