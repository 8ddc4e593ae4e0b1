/** When the next check or rotation is. Pure: `random` is from 0 to below 1. */

const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;
// A role or a policy is mended by a person. A fleet that asks each minute is a load until then.
const MAX_LASTING_BACKOFF_MS = 300_000;
const LEAST_PAUSE_MS = 50;
// A token of which nothing is known is looked up soon: it may be about to expire.
const LOOK_UP_WITHIN_MS = 2000;
// With a splay of ten starts, a tenth of a fleet is away at a time on average.
const SPLAY_PER_START = 10;
const MOST_GROWN_SPLAY_MS = 3_600_000;
// A vault may give out tokens that live for a moment: they are not renewed more often than this.
const LEAST_RENEWAL_PAUSE_MS = 500;

/** The inputs for the pause before a check. */
export interface CheckPace {
  readonly intervalMs: number;
  /** The mean pause while hints say that the secrets are the newest; undefined if they do not. */
  readonly hintedIntervalMs?: number | undefined;
  /** Checks that have failed since the last that did not. */
  readonly failures: number;
  /** True if trying again did not mend the last of them. */
  readonly lasting: boolean;
  /** True before the first check of a program. */
  readonly first: boolean;
  /** True if no courier has asked yet for the token's lifetime. */
  readonly tokenUnknown: boolean;
  /** Until something has to be renewed. */
  readonly dueInMs: number;
  readonly random: number;
}

/**
 * The pause before the next check. A fleet that started at one moment spreads over the interval.
 */
export function checkPauseMs(pace: CheckPace): number {
  const { intervalMs, hintedIntervalMs, failures, first, tokenUnknown, dueInMs, random } = pace;
  if (failures > 0) return backoffMs(failures, longestBackoffMs(pace), random);
  const own = first ? intervalMs * (0.1 + random * 0.9) : intervalMs * (0.9 + random * 0.2);
  const regular = hintedIntervalMs === undefined ? own : hintedIntervalMs * (0.5 + random);
  const lookUp = first && tokenUnknown ? LOOK_UP_WITHIN_MS * random : Number.POSITIVE_INFINITY;
  const due = Math.max(LEAST_RENEWAL_PAUSE_MS, dueInMs);
  return Math.max(LEAST_PAUSE_MS, Math.min(regular, lookUp, due));
}

function longestBackoffMs({ intervalMs, lasting }: CheckPace): number {
  return lasting
    ? Math.min(10 * intervalMs, MAX_LASTING_BACKOFF_MS)
    : Math.min(2 * intervalMs, MAX_BACKOFF_MS);
}

/**
 * The splay for a program that takes so long until it is ready again. Replicas that each restart at
 * a random moment of a splay S, and are away for T, are away for T/S of it on average. A splay of 0
 * stays 0: its owner wants a rotation at once.
 *
 * @param splayMs SVC_ROTATION_SPLAY
 * @param startTookMs undefined if it was not measured
 */
export function grownSplayMs(splayMs: number, startTookMs: number | undefined): number {
  if (splayMs === 0 || startTookMs === undefined) return splayMs;
  return Math.max(splayMs, Math.min(SPLAY_PER_START * startTookMs, MOST_GROWN_SPLAY_MS));
}

/** Half of it is jitter: a vault in trouble is not asked more often than one that answers. */
function backoffMs(failures: number, mostMs: number, random: number): number {
  const bound = Math.min(mostMs, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));
  return Math.max(LEAST_PAUSE_MS, (bound * (1 + random)) / 2);
}

/** The inputs for the pause before a rotation. */
export interface RotationPace {
  /** So that several secrets, written one after the other, make one rotation. */
  readonly debounceMs: number;
  readonly splayMs: number;
  readonly minIntervalMs: number;
  /** Since the program's start, or the last rotation. */
  readonly sinceLastMs: number;
  /** Rotations that have failed since the last that did not. */
  readonly failures: number;
  /** Until a secret is worth nothing any more. */
  readonly expiresInMs: number;
  readonly random: number;
}

/**
 * The pause before a rotation. A secret that expires waits for neither debounce nor splay, except
 * for the least interval: a vault that gives out tiny leases must not restart the program all the
 * time.
 */
export function rotationPauseMs(pace: RotationPace): number {
  const { debounceMs, splayMs, minIntervalMs, sinceLastMs, failures, expiresInMs, random } = pace;
  const again = failures === 0 ? 0 : backoffMs(failures, MAX_BACKOFF_MS, 1);
  const calm = Math.max(debounceMs, splayMs * random);
  return Math.max(again, minIntervalMs - sinceLastMs, Math.min(calm, Math.max(0, expiresInMs) / 2));
}
