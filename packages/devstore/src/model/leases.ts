import type { JsonObject } from "../json/json.ts";

/** A value that the development engine `dev-lease/<name>` gives out for a time. */
export interface LeasedSecret {
  /**
   * The fields, or a function that makes them for the n-th lease (from 1), so that a client sees a
   * change.
   */
  readonly data: JsonObject | ((issue: number) => JsonObject);
  /** Lifetime of a lease in milliseconds. */
  readonly ttlMs: number;
  /** The longest a lease can be renewed to, from its issue; by default `ttlMs` times ten. */
  readonly maxTtlMs?: number;
  /** By default true. */
  readonly renewable?: boolean;
}

/** A lease given out. */
export interface IssuedLease {
  readonly id: string;
  /** The API path that issued it. */
  readonly path: string;
  /** The id of the token it was issued to: the lease ends with it. */
  readonly owner: string;
  readonly issuedMs: number;
  readonly renewedMs: number | undefined;
  readonly expiresMs: number;
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly renewable: boolean;
}

/** The lease renewed by `incrementMs` (0: by its own ttl), never past its maximum. */
export function renewLease(lease: IssuedLease, incrementMs: number, now: number): IssuedLease {
  const wantedMs = now + (incrementMs || lease.ttlMs);
  return {
    ...lease,
    renewedMs: now,
    expiresMs: Math.min(wantedMs, lease.issuedMs + lease.maxTtlMs),
  };
}

/** Whole seconds left, rounded up. */
export function leaseSecondsLeft(lease: IssuedLease, now: number): number {
  return Math.max(0, Math.ceil((lease.expiresMs - now) / 1000));
}
