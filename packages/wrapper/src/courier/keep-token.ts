import { type VaultClient, VaultError } from "@svc/vault";
import type { CheckJob } from "../courier-job.ts";
import type { TokenLife } from "../courier-message.ts";
import { WrapperError } from "../errors.ts";
import type { CourierContext } from "./courier-context.ts";
import { tokenRefused } from "./fetch-secrets.ts";
import type { HeldToken } from "./held-token.ts";
import { beginSession, type Session } from "./session-region.ts";
import { holdToken, logIn } from "./token-source.ts";

/** A token that is renewed for less than this part of its time is about to reach its maximum. */
const LEAST_PART = 0.5;

/** The token to go on with. */
export interface KeptToken extends HeldToken {
  /** True where it is a new one. */
  readonly loggedIn: boolean;
}

/**
 * Renews the token where it is due, and replaces it where that is refused or would not last: by a login
 * with the service account's token as it is on the disk now.
 *
 * @throws WrapperError `TOKEN_REFUSED` where it is dead and nothing but a person can bring another one.
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
  if (job.token.kind === "leave") return { ...held, loggedIn: false };
  const life = await lifeOf(client, held, job.token);
  if (life !== undefined && lasts(life, job.token)) return { ...held, life, loggedIn: false };
  const { auth } = context.brief.settings.vault;
  if (auth.method === "kubernetes") {
    return begin(context, session, await logIn(auth, client, context));
  }
  if (life === undefined) throw new WrapperError([tokenRefused()]);
  return { ...held, life, loggedIn: false };
}

/** Undefined where the vault does not know the token. */
async function lifeOf(
  client: VaultClient,
  { token }: HeldToken,
  care: CheckJob["token"],
): Promise<TokenLife | undefined> {
  const own = care.kind === "renew" && care.own;
  try {
    const { ttlMs, renewable } =
      care.kind === "renew" && care.renewable
        ? await client.renewSelf(token)
        : await client.lookupSelf(token);
    return { ttlMs, renewable, own };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    if (error.code === "DENIED") return undefined;
    if (error.code !== "BAD_REQUEST") throw error;
    // It is known and will not be renewed.
    const { ttlMs } = await client.lookupSelf(token);
    return { ttlMs, renewable: false, own };
  }
}

function lasts({ ttlMs }: TokenLife, care: CheckJob["token"]): boolean {
  return care.kind !== "renew" || ttlMs === 0 || ttlMs >= care.fullTtlMs * LEAST_PART;
}

function begin(context: CourierContext, session: Session, held: HeldToken): KeptToken {
  beginSession(context, { ...session, token: held.token }, held.life);
  return { ...held, loggedIn: true };
}
