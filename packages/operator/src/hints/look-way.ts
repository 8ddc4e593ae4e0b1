import type { LookWay } from "../admission/hint-outcomes.ts";
import type { WatchedMount } from "./subscription.ts";

/** The facts of a mount that the way depends on. */
export type WayFacts = Pick<WatchedMount, "total" | "scanRefusedUntilMs" | "scannedMs"> & {
  /** The secrets that wrappers use. */
  readonly used: number;
};

/** Their metadata costs less than it does to learn how many others there are. */
const FEW = 8;
/** Measured: OpenBao reads one path's metadata for the time in which it scans 16 paths. */
const SCANNED_FOR_ONE = 16;
/** A total of so long ago is learned again. */
const RENEWED_MS = 3_600_000;

/** Chooses the cheaper way for a vault. Pure. */
export function lookWay(facts: WayFacts, nowMs: number): LookWay {
  const { used, total, scanRefusedUntilMs, scannedMs } = facts;
  if (used <= FEW || nowMs < scanRefusedUntilMs) return "metadata";
  if (total === undefined || nowMs - scannedMs >= RENEWED_MS) return "scan";
  return used * SCANNED_FOR_ONE > total ? "scan" : "metadata";
}
