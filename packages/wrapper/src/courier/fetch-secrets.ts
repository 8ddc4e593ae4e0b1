import {
  type ReadOutcome,
  type RetryOptions,
  type Secret,
  type VaultClient,
  VaultError,
} from "@svc/vault";
import { failure, WrapperError } from "../errors.ts";
import type { FileError } from "../files/file-error.ts";
import type { SecretsState } from "../messages/courier-message.ts";
import type { FileEntry } from "../secret-files/file-entry.ts";
import type { SecretSource } from "../settings.ts";
import { connect, vaultOf } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import type { SecretEntry } from "./delivery.ts";
import type { HeldToken } from "./held-token.ts";
import { readPlaces, readSources } from "./read-sources.ts";
import { resolveSecrets, unreadSecrets } from "./resolve-secrets.ts";
import { secretsState } from "./secrets-state.ts";
import { keepSession, type Session } from "./session-region.ts";
import type { SourceOutcome } from "./source-outcome.ts";
import { holdToken, logIn } from "./token-source.ts";

/** The vault counts from the login, and the courier does not know how long the answer took. */
const FRESH_PART = 0.5;

/** The read secrets, and the way of reading. */
export interface FetchedSecrets {
  readonly sources: readonly SecretSource[];
  /** One for each source, in their order. */
  readonly outcomes: readonly SourceOutcome[];
  /** Undefined if no vault was asked. */
  readonly held: HeldToken | undefined;
  /** When they were asked for; performance.now. */
  readonly askedAtMs: number;
}

/** How to try to read secrets. */
export interface FetchOptions {
  readonly retry: Partial<RetryOptions>;
  /** True for the first start: then the log has to say who else may read a file. */
  readonly isFirst?: boolean;
}

/**
 * Reads everything that the settings name, at once, and logs in if necessary. A failed read is
 * among the outcomes.
 *
 * @throws WrapperError if there is no token to read with, or the vault does not know it.
 * @throws VaultError if the vault refuses the login.
 */
export async function fetchSecrets(
  context: CourierContext,
  session: Session,
  { retry, isFirst = false }: FetchOptions,
): Promise<FetchedSecrets> {
  const { log, say, jobMessage } = context;
  const { sources } = jobMessage.settings.secrets;
  let askedAtMs = performance.now();
  let held: HeldToken | undefined;
  const outcomes = await readPlaces(sources, {
    vault: async (inVault) => {
      const read = await readByToken(context, session, retry, inVault);
      ({ held, askedAtMs } = read);
      return read.outcomes;
    },
    files: async (files) => {
      const { readFilesPatiently } = await import("../files/read-files.ts");
      const onRetry = ({ failure }: FileError) => say({ kind: "retrying", failure });
      return readFilesPatiently(files, { ...retry, says: isFirst, log, onRetry });
    },
  });
  // Only now: a session is written once, and a token may die while its first reading is retried.
  keepSession(context, session, held);
  return { sources, outcomes, held, askedAtMs };
}

interface ReadByToken {
  readonly outcomes: readonly ReadOutcome[];
  readonly held: HeldToken;
  readonly askedAtMs: number;
}

async function readByToken(
  context: CourierContext,
  session: Session,
  retry: Partial<RetryOptions>,
  sources: readonly SecretSource[],
): Promise<ReadByToken> {
  const client = connect(context, retry);
  const { auth } = vaultOf(context);
  let sinceMs = performance.now();
  let held = await holdToken(context, session, client);
  for (;;) {
    const askedAtMs = performance.now();
    const outcomes = await readSources(client, held.token, sources);
    if (!wasDenied(outcomes) || !(await isDead(client, held, sinceMs))) {
      return { outcomes, held, askedAtMs };
    }
    // It has died since it was handed on, or while a vault in trouble was asked again and again.
    sinceMs = performance.now();
    const another = await logIn(auth, client, context);
    if (another === undefined) {
      throw new WrapperError([tokenRefused(), ...unreadSecrets(outcomes)]);
    }
    held = another;
  }
}

/** A token that has just come from a login is good, and need not be asked for. */
async function isDead(client: VaultClient, { token, life }: HeldToken, sinceMs: number) {
  const goodForMs = life === undefined ? 0 : life.ttlMs * FRESH_PART;
  const isFresh = life?.ttlMs === 0 || performance.now() - sinceMs < goodForMs;
  return !isFresh && !(await isAlive(client, token));
}

/** The delivery, and the facts about it for the supervisor. */
export interface ResolvedSecrets {
  readonly entries: readonly SecretEntry[];
  readonly files: readonly FileEntry[];
  readonly state: SecretsState;
}

/**
 * Turns the read secrets into the delivery.
 *
 * @throws WrapperError with every problem.
 */
export function resolveFetched(
  context: CourierContext,
  { sources, outcomes, askedAtMs }: FetchedSecrets,
  { digestKey }: Session,
): ResolvedSecrets {
  const { entries, files } = resolveSecrets(context.jobMessage.settings.secrets, outcomes);
  const state = secretsState({ sources, outcomes, entries, files }, digestKey);
  // Others may have been read for long after the vault gave a lease out. 0 means for ever.
  const passedMs = performance.now() - askedAtMs;
  const leases = state.leases.map((lease) => {
    return lease.ttlMs === 0 ? lease : { ...lease, ttlMs: Math.max(1, lease.ttlMs - passedMs) };
  });
  return { entries, files, state: { ...state, leases } };
}

/** The vault knows the token no more, or never did. */
export function tokenRefused() {
  return failure(
    "TOKEN_REFUSED",
    "use the token: the vault does not know it: it has expired, was revoked, or is used up",
  );
}

function wasDenied(outcomes: readonly ReadOutcome[]): boolean {
  return outcomes.some((outcome) => !outcome.ok && outcome.error.code === "DENIED");
}

/** Every token may look itself up, unless its policies were made without the default one. */
export async function isAlive(client: VaultClient, token: Secret): Promise<boolean> {
  try {
    await client.lookupSelf(token);
    return true;
  } catch (error) {
    return !(error instanceof VaultError) || error.code !== "DENIED";
  }
}
