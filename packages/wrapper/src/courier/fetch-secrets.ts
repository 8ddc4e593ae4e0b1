import {
  type ReadOutcome,
  type RetryOptions,
  type Secret,
  type VaultClient,
  VaultError,
} from "@svc/vault";
import type { SecretsState } from "../courier-message.ts";
import { failure, WrapperError } from "../errors.ts";
import type { SecretSource } from "../settings.ts";
import { connect } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import type { SecretEntry } from "./delivery.ts";
import type { HeldToken } from "./held-token.ts";
import { readSources } from "./read-sources.ts";
import { resolveSecrets, unreadSecrets } from "./resolve-secrets.ts";
import { secretsState } from "./secrets-state.ts";
import { keepSession, type Session } from "./session-region.ts";
import { holdToken, logIn } from "./token-source.ts";

/** What was read, and how. */
export interface FetchedSecrets {
  readonly sources: readonly SecretSource[];
  /** One for each source, in their order. */
  readonly outcomes: readonly ReadOutcome[];
  readonly client: VaultClient;
  readonly held: HeldToken;
}

/**
 * Reads everything that the settings name, at once, with whatever it takes to be let in. What could
 * not be read is among the outcomes.
 *
 * @throws WrapperError where there is no token to read with, or the vault does not know it.
 * @throws VaultError where the vault refuses the login.
 */
export async function fetchSecrets(
  context: CourierContext,
  session: Session,
  retry: Partial<RetryOptions>,
): Promise<FetchedSecrets> {
  const client = connect(context, retry);
  const held = await holdToken(context, session, client);
  const fetched = await readWith(context, session, client, held);
  const trusted = held.life !== undefined || !wasDenied(fetched.outcomes);
  if (trusted || (await isAlive(client, held.token))) return fetched;
  // It has died since it was handed on.
  const { auth } = context.brief.settings.vault;
  if (auth.method !== "kubernetes") {
    throw new WrapperError([tokenRefused(), ...unreadSecrets(fetched.outcomes)]);
  }
  return readWith(context, session, client, await logIn(auth, client, context));
}

/** What is delivered, and what the supervisor may know of it. */
export interface ResolvedSecrets {
  readonly entries: readonly SecretEntry[];
  readonly state: SecretsState;
}

/**
 * Turns what was read into what is delivered.
 *
 * @throws WrapperError with every problem.
 */
export function resolveFetched(
  { brief }: CourierContext,
  { sources, outcomes }: FetchedSecrets,
  { digestKey }: Session,
): ResolvedSecrets {
  const entries = resolveSecrets(brief.settings.secrets, outcomes);
  return { entries, state: secretsState({ sources, outcomes, entries }, digestKey) };
}

async function readWith(
  context: CourierContext,
  session: Session,
  client: VaultClient,
  held: HeldToken,
): Promise<FetchedSecrets> {
  const { sources } = context.brief.settings.secrets;
  const reading = readSources(client, held.token, sources);
  // The requests are on their way: writing costs no time now.
  keepSession(context, session, held);
  return { sources, outcomes: await reading, client, held };
}

/** The vault knows the token no more, or never did. */
export function tokenRefused() {
  return failure("TOKEN_REFUSED", "use the token: the vault does not let it look itself up");
}

function wasDenied(outcomes: readonly ReadOutcome[]): boolean {
  return outcomes.some((outcome) => !outcome.ok && outcome.error.code === "DENIED");
}

/** Every token may look itself up, unless its policies were made without the default one. */
async function isAlive(client: VaultClient, token: Secret): Promise<boolean> {
  try {
    await client.lookupSelf(token);
    return true;
  } catch (error) {
    return !(error instanceof VaultError) || error.code !== "DENIED";
  }
}
