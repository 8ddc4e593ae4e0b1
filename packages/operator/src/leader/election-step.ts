import type { LeaseRecord, StoredLease } from "./lease.ts";

/**
 * A record, and since when it has been seen unchanged, by our own clock, which does not jump.
 */
export interface Observation {
  readonly record: LeaseRecord;
  readonly sinceMs: number;
}

/** A candidate's facts for its decision. */
export interface ElectionView {
  /** As it was read just now; undefined if there is none. */
  readonly lease: StoredLease | undefined;
  /** The observation of this lease's record; see `observe`. */
  readonly observation: Observation | undefined;
  readonly identity: string;
  /** The time of the clock of observations. */
  readonly nowMs: number;
  /** As it is written into the Lease, for people: no decision looks at it. */
  readonly nowText: string;
  /** How long a lease of ours is ours after a renewal. */
  readonly durationMs: number;
}

/** A candidate's action: leave the lease to its holder, or write its own record. */
export type ElectionStep =
  | { readonly kind: "leave"; readonly holder: string }
  | { readonly kind: "write"; readonly record: LeaseRecord };

/** The observation after a record was read: an unchanged one is as old as it was. */
export function observe(
  before: Observation | undefined,
  record: LeaseRecord,
  nowMs: number,
): Observation {
  return before !== undefined && Bun.deepEquals(before.record, record)
    ? before
    : { record, sinceMs: nowMs };
}

/**
 * Decides as client-go does (tools/leaderelection): a lease is its holder's until its record has
 * not changed for as long as it says. That is measured here; the times in it are another machine's.
 */
export function electionStep(view: ElectionView): ElectionStep {
  const { lease, identity, nowText, durationMs } = view;
  const record = { holder: identity, durationMs, renewTime: nowText };
  if (lease === undefined) {
    return { kind: "write", record: { ...record, transitions: 0, acquireTime: nowText } };
  }
  const { holder, transitions, acquireTime = nowText } = lease.record;
  if (holder === identity)
    return { kind: "write", record: { ...record, transitions, acquireTime } };
  if (holder !== undefined && isValid(view)) return { kind: "leave", holder };
  const next = { ...record, transitions: transitions + 1, acquireTime: nowText };
  return { kind: "write", record: next };
}

function isValid({ lease, observation, nowMs, durationMs }: ElectionView): boolean {
  // A record that was never seen before tells only that it exists.
  if (observation === undefined) return true;
  return nowMs < observation.sinceMs + (lease?.record.durationMs ?? durationMs);
}
