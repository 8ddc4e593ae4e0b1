import type { CheckJob, TokenCare, WatchedPath } from "../messages/courier-job.ts";
import type {
  CheckResult,
  EndingLease,
  LeaseLife,
  SecretsState,
} from "../messages/courier-message.ts";
import type { HeldTokenLife } from "./renewal-time.ts";
import { dueTime, expiryOf } from "./renewal-time.ts";

const BEHIND_AT_MOST_MS = 60_000;

/**
 * The supervisor's facts about the program's secrets, without their values. Times are its clock's.
 */
export interface Knowledge {
  readonly watched: readonly WatchedPath[];
  readonly leases: readonly HeldLease[];
  /** Leases that will not be kept: their secrets must be replaced before `expiresAtMs`. */
  readonly ending: readonly EndingLease[];
  readonly digest: string;
  /** When all of it was true for certain. */
  readonly checkedAtMs: number;
  /** Since when every answer was older than this; undefined if the last one was not. */
  readonly olderSinceMs?: number;
}

/** A lease of the program's secrets. */
export interface HeldLease extends LeaseLife {
  readonly expiresAtMs: number;
  readonly renewAtMs: number;
}

/** A clock and a die, so that all of this is pure. */
export interface Moment {
  readonly nowMs: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** The facts of a fetch. */
export function learn(state: SecretsState, { nowMs, random }: Moment): Knowledge {
  const { watched, digest } = state;
  const leases = state.leases.map((lease) => held(lease, { nowMs, random }));
  return { watched, digest, leases, ending: [], checkedAtMs: nowMs };
}

/** The facts of a fetch without a delivery: the program keeps its leases. */
export function learnUnchanged(known: Knowledge, state: SecretsState, moment: Moment): Knowledge {
  return { ...learn({ ...state, leases: [] }, moment), leases: known.leases };
}

/** The facts that a check adds. */
export function afterCheck(known: Knowledge, result: CheckResult, moment: Moment): Knowledge {
  const renewed = new Map(result.renewedLeases.map((lease) => [lease.id, held(lease, moment)]));
  const lost = new Map(result.endingLeases.map((lease) => [lease.id, lease]));
  for (const { id, path } of result.loggedIn ? known.leases : []) {
    lost.set(id, { id, path, reason: "its token is replaced" });
  }
  const { olderSinceMs, ...rest } = known;
  return {
    ...rest,
    // Until the program has the new values, the next check has to find them new again.
    watched: result.changed ? known.watched : result.watched,
    leases: known.leases.map((lease) => renewed.get(lease.id) ?? lease),
    ending: [
      ...new Map([...known.ending, ...lost.values()].map((lease) => [lease.id, lease])).values(),
    ],
    checkedAtMs: result.failures.length === 0 && !result.older ? moment.nowMs : known.checkedAtMs,
    ...(result.older ? { olderSinceMs: olderSinceMs ?? moment.nowMs } : {}),
  };
}

/** The tasks of a check at this moment, including those due within `slackMs`. */
export function checkJob(
  known: Knowledge,
  token: HeldTokenLife | undefined,
  { nowMs, slackMs }: { readonly nowMs: number; readonly slackMs: number },
): CheckJob {
  const isDue = ({ renewAtMs }: { readonly renewAtMs: number }) => renewAtMs <= nowMs + slackMs;
  const endingIds = new Set(known.ending.map(({ id }) => id));
  return {
    kind: "check",
    token: tokenCare(token, isDue),
    leases: known.leases
      .filter((lease) => isDue(lease) && !endingIds.has(lease.id))
      .map(({ id, path, durationMs }) => ({ id, path, durationMs })),
    watched: known.watched,
    digest: known.digest,
    mayGoBack: mayGoBack(known, nowMs),
  };
}

/**
 * No node is behind for so long: the vault was restored, and its older values are the current ones.
 */
export function mayGoBack({ olderSinceMs }: Knowledge, nowMs: number): boolean {
  return olderSinceMs !== undefined && nowMs - olderSinceMs > BEHIND_AT_MOST_MS;
}

/** The moment by which something has to be renewed; Infinity if nothing expires. */
export function nextDueMs(known: Knowledge, token: HeldTokenLife | undefined): number {
  const endingIds = new Set(known.ending.map(({ id }) => id));
  const leases = known.leases.filter(({ id }) => !endingIds.has(id));
  return Math.min(
    token?.renewAtMs ?? Number.POSITIVE_INFINITY,
    ...leases.map(({ renewAtMs }) => renewAtMs),
  );
}

/** The first moment at which something that the program uses is worth nothing any more. */
export function firstExpiryMs({ leases }: Knowledge): number {
  return Math.min(Number.POSITIVE_INFINITY, ...leases.map(({ expiresAtMs }) => expiresAtMs));
}

function tokenCare(
  token: HeldTokenLife | undefined,
  isDue: (token: HeldTokenLife) => boolean,
): TokenCare {
  if (token === undefined) return { kind: "look up" };
  if (!isDue(token)) return { kind: "leave" };
  const { renewable, own, fullTtlMs } = token;
  return { kind: "renew", renewable, own, fullTtlMs };
}

function held(lease: LeaseLife, { nowMs, random }: Moment): HeldLease {
  const { ttlMs, renewable } = lease;
  return {
    ...lease,
    expiresAtMs: expiryOf(ttlMs, nowMs),
    // One that cannot be renewed is only replaced, as late as one is renewed.
    renewAtMs: renewable ? dueTime(ttlMs, nowMs, random) : dueTime(ttlMs, nowMs, 1),
  };
}
