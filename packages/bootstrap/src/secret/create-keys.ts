import { type Initialised, Secret } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { Patience } from "../store/ask-until.ts";
import { KEEPING_PATIENCE, keepKeys, newlyStored } from "./keep-keys.ts";
import type { KeyWork, ObtainedKeys } from "./key-work.ts";
import { plainOfAnswer } from "./plain-keys.ts";
import { rehearseWrite } from "./rehearse-write.ts";
import { reserveSecret } from "./reserve-secret.ts";
import { retryUnreachable } from "./retry-unreachable.ts";
import type { SecretObject } from "./secret-object.ts";
import type { StoredKeys } from "./secret-phase.ts";
import { writePhase } from "./write-phase.ts";
import { writtenOver } from "./written-over.ts";

/**
 * Initialises the store and puts its keys, encrypted as they are to be, into the Secret that this run has
 * reserved. Undefined where somebody else has changed the Secret before there were any keys.
 *
 * @throws BootstrapError and VaultError, see `obtainKeys`
 */
export async function createKeys(
  work: KeyWork,
  seen: SecretObject,
  patience: Patience,
): Promise<ObtainedKeys | undefined> {
  const { door, shamir, encryption, now = Date.now, keeping = KEEPING_PATIENCE } = work;
  const content = writtenOver(writePhase(await dummyKeys(work, now())), seen);
  // A right that is missing, a webhook or a limit shows now, not when the only keys are in hand.
  const rehearsal = { content, revision: seen.revision, isDummy: true };
  const rehearse = () => rehearseWrite(door, rehearsal);
  const rehearsed = await retryUnreachable(rehearse, patience).catch(async (error) => {
    await release(work, seen);
    throw error;
  });
  if (rehearsed === "conflict") return undefined;
  const keys = await work.initialise({ ...shamir, ...encryption.pgp }).catch(async (error) => {
    await release(work, seen);
    throw error;
  });
  const { threshold } = shamir;
  const encrypted = await encryptKeys(work, keys);
  const fresh = { ...encrypted, threshold, encryption: encryption.ciphers, createdMs: now() };
  const stored = await keepKeys(door, fresh, keeping);
  return { outcome: "created", stored, plain: plainOfAnswer(keys, encryption) };
}

/** What was tried twice before the store had keys: it would take a machine out of memory to fail now. */
async function encryptKeys({ door, encryption }: KeyWork, keys: Initialised): Promise<Initialised> {
  try {
    return await encryption.encrypt(keys);
  } catch (cause) {
    const message = `store the keys in ${door.name}: they could not be encrypted`;
    throw new BootstrapError("KEYS_NOT_STORED", message, { cause });
  }
}

/**
 * Lets the next run take over at once. Where the store is initialised after all, that run sees it and stops as
 * it would have done without this.
 */
async function release({ door, holder }: KeyWork, seen: SecretObject): Promise<void> {
  const past = { phase: "reserved", holder, sinceMs: 0 } as const;
  // What has failed is what is to be reported.
  await reserveSecret(door, seen, past).catch(() => undefined);
}

/** As long as a share or a root token is in the store's answer, or longer. */
const PLAIN_LENGTH = 64;
/** A message to an RSA key of 16,384 bits has 2,900 characters. */
const PGP_LENGTH = 3072;

/** Of the size of real ones, or more. */
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
  return newlyStored({ ...encrypted, threshold, encryption: ciphers, createdMs });
}

function dummy(length: number): Secret {
  return new Secret("x".repeat(length));
}
