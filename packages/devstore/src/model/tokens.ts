import type { JsonObject } from "../json/json.ts";

/** A token of the store; times are milliseconds since the epoch. */
export interface Token {
  readonly id: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly displayName: string;
  /** The API path that issued it. */
  readonly path: string;
  readonly meta: JsonObject | null;
  /** The id of the token that created it; undefined for an orphan. */
  readonly parent: string | undefined;
  readonly entityId: string;
  readonly createdMs: number;
  readonly creationTtlMs: number;
  readonly renewable: boolean;
  readonly explicitMaxTtlMs: number;
  /** The longest life from creation, explicit or of the role or of the system. */
  readonly maxTtlMs: number;
  /** The lifetime that a renewal without increment gives. */
  readonly ttlMs: number;
  /** Undefined for a token that never expires. */
  readonly expiresMs: number | undefined;
  /** Uses left, 0 for any number, -1 while the last one is answered. */
  readonly usesLeft: number;
}

/** OpenBao's default and maximum lease: 768 hours. */
export const SYSTEM_MAX_TTL_MS = 768 * 3_600_000;

/** The choices of a token's maker; the rest follows. */
export interface WantedToken {
  readonly id: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly displayName: string;
  readonly path: string;
  readonly meta?: JsonObject | null;
  readonly parent?: string;
  readonly entityId?: string;
  readonly renewable?: boolean;
  /** 0: the system's default, or no end for a root token. */
  readonly ttlMs?: number;
  readonly explicitMaxTtlMs?: number;
  /** The maximum of the role, 0 for the system's. */
  readonly maxTtlMs?: number;
  readonly uses?: number;
}

/** The token that `wanted` asks for at `now`, its lifetime capped by the maximum that holds. */
export function issueToken(wanted: WantedToken, now: number): Token {
  const maxTtlMs = wanted.explicitMaxTtlMs || wanted.maxTtlMs || SYSTEM_MAX_TTL_MS;
  const endless = wanted.policies.includes("root") && !wanted.ttlMs && !wanted.explicitMaxTtlMs;
  const ttlMs = endless ? 0 : Math.min(wanted.ttlMs || SYSTEM_MAX_TTL_MS, maxTtlMs);
  return {
    id: wanted.id,
    accessor: wanted.accessor,
    policies: wanted.policies,
    displayName: wanted.displayName,
    path: wanted.path,
    meta: wanted.meta ?? null,
    parent: wanted.parent,
    entityId: wanted.entityId ?? "",
    createdMs: now,
    creationTtlMs: ttlMs,
    renewable: !endless && (wanted.renewable ?? true),
    explicitMaxTtlMs: wanted.explicitMaxTtlMs ?? 0,
    maxTtlMs,
    ttlMs,
    expiresMs: endless ? undefined : now + ttlMs,
    usesLeft: wanted.uses ?? 0,
  };
}

/** The token renewed by `incrementMs` (0: by its own ttl), never past its maximum. */
export function renewToken(token: Token, incrementMs: number, now: number): Token {
  const wantedMs = incrementMs || token.ttlMs;
  const grantedMs = Math.min(wantedMs, maxLeftMs(token, now));
  // A role's tokens go back to the role's ttl; others keep their last grant.
  const ttlMs = token.path === "auth/token/create" ? grantedMs : token.ttlMs;
  return { ...token, ttlMs, expiresMs: now + grantedMs };
}

/** How far from `now` the token can be renewed at most, in milliseconds. */
export function maxLeftMs(token: Token, now: number): number {
  return Math.max(0, token.createdMs + token.maxTtlMs - now);
}

/** True while the token may be used. */
export function isAlive(token: Token, now: number): boolean {
  return token.expiresMs === undefined || token.expiresMs > now;
}

/** Whole seconds left, rounded up as OpenBao shows them; 0 for a token without end. */
export function secondsLeft(token: Token, now: number): number {
  return token.expiresMs === undefined ? 0 : Math.max(0, Math.ceil((token.expiresMs - now) / 1000));
}
