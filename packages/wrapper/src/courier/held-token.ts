import type { Secret } from "@svc/vault";
import type { TokenLife } from "../messages/courier-message.ts";

/** A token to work with. */
export interface HeldToken {
  readonly token: Secret;
  /** Known right after a login. */
  readonly life?: ToldLife;
}

/** A token's life as the vault has told it. */
export interface ToldLife extends TokenLife {
  /** When, on this process's clock. Much may be read, slowly, before the supervisor hears of it. */
  readonly toldAtMs: number;
}

/** How long it lives from now on; at least a millisecond, for 0 means for ever. */
export function lifeFromNow({ toldAtMs, ttlMs, ...life }: ToldLife, nowMs: number): TokenLife {
  return { ...life, ttlMs: ttlMs === 0 ? 0 : Math.max(1, Math.ceil(ttlMs - (nowMs - toldAtMs))) };
}
