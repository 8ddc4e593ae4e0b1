import { type VaultClient, VaultError } from "@svc/vault";
import { type Failure, failuresOf } from "../errors.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import type { TokenLife } from "../messages/courier-message.ts";
import { vaultOf } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import { type HeldToken, lifeFromNow, type ToldLife } from "./held-token.ts";
import { beginSession, type Session } from "./session-region.ts";
import { holdToken, logIn } from "./token-source.ts";
import { vaultFailure } from "./vault-failure.ts";

/** A token that is renewed for less than this part of its time is about to reach its maximum. */
const LEAST_PART = 0.5;

/** The token to go on with. */
export interface KeptToken extends HeldToken {
  /** True if it is a new one. */
  readonly loggedIn: boolean;
  /** True if it may not look itself up: it is dead, or its policies lack the default one. */
  readonly doubtful: boolean;
  /** Why there is no new one, if it was time for that and the one before is good for a while. */
  readonly failure?: Failure;
}

/**
 * Renews the token if it is due. Replaces it if the vault refuses, or the token would not last: by
 * a login with the service account's token as it is on the disk now.
 */
export async function keepToken(
  context: CourierContext,
  session: Session,
  client: VaultClient,
  job: CheckJob,
): Promise<KeptToken> {
  const held = await holdToken(context, session, client);
  // The session had none: this is a login.
  if (held.life !== undefined) return begin(context, session, held);
  if (job.token.kind === "leave") return kept(held);
  const life = await lifeOf(client, held, job.token);
  if (life !== undefined && lasts(life, job.token)) return kept({ ...held, life });
  if (life === undefined) {
    return (await replaceToken(context, session, client)) ?? { ...kept(held), doubtful: true };
  }
  try {
    return (await replaceToken(context, session, client)) ?? kept({ ...held, life });
  } catch (error) {
    const [failure] = error instanceof VaultError ? [vaultFailure(error)] : failuresOf(error);
    return { ...kept({ ...held, life }), ...(failure === undefined ? {} : { failure }) };
  }
}

/** A new token by a login; undefined if a client has to send one. */
export async function replaceToken(
  context: CourierContext,
  session: Session,
  client: VaultClient,
): Promise<KeptToken | undefined> {
  const { auth } = vaultOf(context);
  const held = await logIn(auth, client, context);
  return held && begin(context, session, held);
}

/** Undefined if the vault does not know the token. */
async function lifeOf(
  client: VaultClient,
  { token }: HeldToken,
  care: CheckJob["token"],
): Promise<ToldLife | undefined> {
  const own = care.kind === "renew" && care.own;
  try {
    if (care.kind === "renew" && care.renewable) {
      const { ttlMs, renewable } = await client.renewSelf(token);
      return { ttlMs, renewable, own, toldAtMs: performance.now() };
    }
    const { ttlMs, renewable, isBatch } = await client.lookupSelf(token);
    const life = { ttlMs, renewable, own, ...(isBatch && { isBatch }) };
    return { ...life, toldAtMs: performance.now() };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    if (error.code === "DENIED") return undefined;
    if (error.code !== "BAD_REQUEST") throw error;
    // It is known and will not be renewed.
    const { ttlMs } = await client.lookupSelf(token);
    return { ttlMs, renewable: false, own, toldAtMs: performance.now() };
  }
}

function lasts({ ttlMs }: TokenLife, care: CheckJob["token"]): boolean {
  return care.kind !== "renew" || ttlMs === 0 || ttlMs >= care.fullTtlMs * LEAST_PART;
}

function kept(held: HeldToken): KeptToken {
  return { ...held, loggedIn: false, doubtful: false };
}

function begin(context: CourierContext, session: Session, held: HeldToken): KeptToken {
  const { token, life } = held;
  const fromNow = life === undefined ? undefined : lifeFromNow(life, performance.now());
  beginSession(context, { ...session, token }, fromNow);
  return { ...kept(held), loggedIn: true };
}
