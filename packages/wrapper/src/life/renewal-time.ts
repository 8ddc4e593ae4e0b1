import type { TokenLife } from "../messages/courier-message.ts";

/** A token's life on the supervisor's clock. */
export interface HeldTokenLife extends TokenLife {
  /** Its lifetime when it was new, or right after a renewal. */
  readonly fullTtlMs: number;
  /** Infinity if it never expires. */
  readonly expiresAtMs: number;
  readonly renewAtMs: number;
}

/**
 * When something that lives for `ttlMs` from `nowMs` on is renewed: between 1/2 and 2/3 of its
 * time.
 */
export function dueTime(ttlMs: number, nowMs: number, random: number): number {
  return ttlMs === 0 ? Number.POSITIVE_INFINITY : nowMs + ttlMs * (1 / 2 + random / 6);
}

/** A time to live of 0 means for ever. */
export function expiryOf(ttlMs: number, nowMs: number): number {
  return ttlMs === 0 ? Number.POSITIVE_INFINITY : nowMs + ttlMs;
}
