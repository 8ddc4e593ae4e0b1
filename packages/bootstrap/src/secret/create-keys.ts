import { type Initialised, Secret } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { Patience } from "../store/ask-until.ts";
import { KEEPING_PATIENCE, keepKeys, newlyStored } from "./keep-keys.ts";
import type { KeyWork, ObtainedKeys } from "./key-work.ts";
import { parsePhase } from "./parse-phase.ts";
import { plainOfAnswer } from "./plain-keys.ts";
import { rehearseWrite } from "./rehearse-write.ts";
import { reserveSecret } from "./reserve-secret.ts";
import { retryUnreachable } from "./retry-unreachable.ts";
import type { SecretObject } from "./secret-object.ts";
import type { Initialising, StoredKeys } from "./secret-phase.ts";
import { writePhase } from "./write-phase.ts";
import { writtenOver } from "./written-over.ts";

/** The Secret that this run has reserved. */
export interface ReservedSecret {
  readonly seen: SecretObject;
  /** How often the store was reset. */
  readonly resets: number;
}

/**
 * Initialises the store and puts its keys, encrypted as requested, into the Secret that this run
 * has reserved. Undefined if another client has changed the Secret before there were any keys.
 *
 * @throws BootstrapError and VaultError, see `obtainKeys`
 */
export async function createKeys(
  work: KeyWork,
  { seen, resets }: ReservedSecret,
  patience: Patience,
): Promise<ObtainedKeys | undefined> {
  const { secret, shamir, encryption, now = Date.now, keeping = KEEPING_PATIENCE } = work;
  const content = writtenOver(writePhase(await dummyKeys(work, now())), seen);
  // A right that is missing, a webhook or a limit shows now, not when the only keys are in hand.
  const rehearsal = { content, revision: seen.revision, isDummy: true };
  const rehearse = () => rehearseWrite(secret, rehearsal);
  const rehearsed = await retryUnreachable(rehearse, patience).catch(async (error) => {
    await release(work);
    throw error;
  });
  if (rehearsed === "conflict") return undefined;
  const beside = await retryUnreachable(() => secret.besideName(), patience);
  const intent = intentOf(work, { resets, beside });
  const announced = { ...seen, ...writtenOver(writePhase(intent), seen) };
  // From here on a run that finds no keys knows which pod may have given some, and to which run.
  if ((await announce(work, announced)) === "conflict") return undefined;
  const keys = await work.initialise({ ...shamir, ...encryption.pgp }).catch(async (error) => {
    await release(work, isOutcomeOpen(error) ? intent : undefined);
    throw error;
  });
  const { threshold } = shamir;
  const encrypted = await encryptKeys(work, keys);
  const createdMs = now();
  const fresh = { ...encrypted, threshold, encryption: encryption.ciphers, createdMs, resets };
  const stored = await keepKeys(secret, fresh, keeping);
  return { outcome: "created", stored, plain: plainOfAnswer(keys, encryption) };
}

/**
 * This worked twice before the store had keys: it would take a machine out of memory to fail now.
 */
async function encryptKeys(
  { secret, encryption }: KeyWork,
  keys: Initialised,
): Promise<Initialised> {
  try {
    return await encryption.encrypt(keys);
  } catch (cause) {
    const message = `store the keys in ${secret.name}: they could not be encrypted`;
    throw new BootstrapError("KEYS_NOT_STORED", message, { cause });
  }
}

function intentOf(
  { shamir, holder, pod, now = Date.now }: KeyWork,
  { resets, beside }: Pick<Initialising, "resets" | "beside">,
): Initialising {
  const held = { phase: "initialising", holder, sinceMs: now(), resets } as const;
  return { ...held, pod: pod(), ...shamir, beside };
}

/** A lost answer counts as a conflict: the next round sees whether it arrived. */
async function announce(
  { secret }: KeyWork,
  { revision, ...content }: SecretObject,
): Promise<"written" | "conflict"> {
  return secret.replace(content, revision).catch((error: unknown) => {
    if (error instanceof BootstrapError && error.code === "KUBERNETES_UNREACHABLE") {
      return "conflict";
    }
    throw error;
  });
}

/** True if the store may have been initialised, and its answer is lost. */
function isOutcomeOpen(error: unknown): boolean {
  if (!(error instanceof BootstrapError)) return false;
  return error.code === "INIT_ANSWER_LOST" || error.code === "INIT_OUTCOME_UNKNOWN";
}

/**
 * Lets the next run take over at once. If the store is initialised after all, that run sees it,
 * and `intent` tells it by whom.
 */
async function release({ secret, holder }: KeyWork, intent?: Initialising): Promise<void> {
  try {
    const seen = await secret.read();
    const phase = parsePhase(seen);
    if (seen === undefined || !("holder" in phase) || phase.holder !== holder) return;
    const { resets } = phase;
    const past = { holder, sinceMs: 0, resets };
    await reserveSecret(secret, seen, { ...(intent ?? { phase: "reserved" }), ...past });
  } catch {
    // The earlier failure has to be reported.
  }
}

/** As long as a share or a root token is in the store's answer, or longer. */
const PLAIN_LENGTH = 64;
/** A message to an RSA key of 16,384 bits has 2,900 characters. */
const PGP_LENGTH = 3072;

/** Keys of at least the size of real ones. */
export async function dummyKeys(
  { shamir, encryption }: Pick<KeyWork, "shamir" | "encryption">,
  createdMs: number,
): Promise<StoredKeys> {
  const { shares, threshold } = shamir;
  const { pgp, ciphers } = encryption;
  const share = dummy(pgp.pgpKeys === undefined ? PLAIN_LENGTH : PGP_LENGTH);
  const answer = {
    shares: Array.from({ length: shares }, () => share),
    rootToken: dummy(pgp.rootTokenPgpKey === undefined ? PLAIN_LENGTH : PGP_LENGTH),
  };
  const encrypted = await encryption.encrypt(answer);
  const resets = 0;
  return newlyStored({ ...encrypted, threshold, encryption: ciphers, createdMs, resets });
}

function dummy(length: number): Secret {
  return new Secret("x".repeat(length));
}
