import type { Initialised } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { BootstrapErrorCode } from "../error-catalogue.ts";
import type { Patience } from "../store/ask-until.ts";
import { parsePhase } from "./parse-phase.ts";
import { placeForKeys } from "./place-for-keys.ts";
import { sameContent } from "./same-content.ts";
import type { SecretClient, SecretContent } from "./secret-object.ts";
import type { KeyCiphers, StoredKeys } from "./secret-phase.ts";
import { writePhase } from "./write-phase.ts";
import { writtenOver } from "./written-over.ts";

/**
 * Keys that are nowhere else are worth some waiting: for an API server that starts again, or for an
 * administrator who restores a missing permission.
 */
export const KEEPING_PATIENCE: Patience = { deadlineMs: 300_000, intervalMs: 500 };

/** A store's new keys, and the requested numbers. */
export interface NewKeys extends Initialised {
  readonly threshold: number;
  readonly encryption: KeyCiphers;
  readonly createdMs: number;
  /** How often the store had been reset before. */
  readonly resets: number;
}

/**
 * Writes a store's new keys into the Secret in one update and reads them back, byte by byte. Lost
 * answers, conflicts and a deleted Secret are got over; a Secret that holds something else is left
 * alone, and the keys go into a new one beside it.
 *
 * @throws BootstrapError `OUTPUT_BESIDE` with the name of that other Secret; `KEYS_NOT_STORED`;
 * `STORE_RESET`
 */
export async function keepKeys(
  secret: SecretClient,
  keys: NewKeys,
  { deadlineMs, intervalMs }: Patience = KEEPING_PATIENCE,
): Promise<StoredKeys> {
  const stored = newlyStored(keys);
  const content = writePhase(stored);
  const work = { secret, content, resets: keys.resets, besides: 0 };
  for (let spentMs = 0, round = 0; ; round++) {
    const start = performance.now();
    const kept = await attempt(work);
    if (kept === "kept") return stored;
    // A write that went well is looked at without a pause, once.
    if (round > 0 || kept !== "look again") await Bun.sleep(intervalMs);
    // While this process is stopped, time passes for the clock and not for it.
    spentMs += Math.min(performance.now() - start, LONGEST_ROUND_MS);
    if (spentMs >= deadlineMs) throw await lastResort(work, kept);
  }
}

/** Two requests to an API server that does not answer, and the pause. */
const LONGEST_ROUND_MS = 35_000;
/** Another client may spoil the written data; not every round may leave a Secret behind. */
const MOST_BESIDES = 3;

interface Keeping {
  readonly secret: SecretClient;
  readonly content: SecretContent;
  readonly resets: number;
  /** How many Secrets were tried beside the one. */
  besides: number;
}

/** New keys as they are stored. */
export function newlyStored(keys: NewKeys): StoredKeys {
  return { ...keys, phase: "initialised", revoking: false, clusterId: undefined };
}

/** Errors that another try does not change. */
const finalCodes: readonly BootstrapErrorCode[] = ["OUTPUT_BESIDE", "STORE_RESET"];

function voidKeys({ name }: SecretClient): BootstrapError {
  const found = "another run has reset the store meanwhile, so these keys are void";
  return new BootstrapError("STORE_RESET", `store the keys in ${name}: ${found}`);
}

type Kept = "kept" | "look again" | BootstrapError;

/** Reads the Secret once, and writes it once if it lacks the keys. */
async function attempt(work: Keeping): Promise<Kept> {
  const { secret, content } = work;
  try {
    const seen = await secret.read();
    if (seen !== undefined && sameContent(seen, content)) return "kept";
    const place = placeForKeys(parsePhase(seen), work.resets);
    if (place === "nowhere") throw voidKeys(secret);
    if (place === "beside") return await keepBeside(work);
    const write =
      seen === undefined
        ? secret.create(content)
        : secret.replace(writtenOver(content, seen), seen.revision);
    return (await write) === "written" ? "look again" : conflict(secret);
  } catch (error) {
    if (!(error instanceof BootstrapError) || finalCodes.includes(error.code)) throw error;
    return error;
  }
}

/** @throws BootstrapError `OUTPUT_BESIDE` if the keys are safe there */
async function keepBeside(work: Keeping): Promise<BootstrapError> {
  if (work.besides >= MOST_BESIDES) return inTheWay(work.secret);
  work.besides += 1;
  throw await besides(work);
}

async function besides({ secret, content }: Keeping): Promise<BootstrapError> {
  const name = await secret.createBeside(content);
  const found = `it was changed meanwhile: they are in the secret "${name}"`;
  return new BootstrapError("OUTPUT_BESIDE", `store the keys in ${secret.name}: ${found}`);
}

function inTheWay({ name }: SecretClient): BootstrapError {
  const message = `store the keys in ${name}: something else is there`;
  return new BootstrapError("OUTPUT_NOT_KEPT", message);
}

function conflict({ name }: SecretClient): BootstrapError {
  const message = `store the keys in ${name}: another client has changed it at the same time`;
  return new BootstrapError("OUTPUT_NOT_KEPT", message);
}

/** An account that may create Secrets may still be let down by the rights for the one. */
async function lastResort(work: Keeping, kept: "look again" | BootstrapError) {
  const { name } = work.secret;
  const failure =
    kept === "look again"
      ? `store the keys in ${name}: read back, it is never as it was written`
      : kept.message;
  try {
    return await besides(work);
  } catch (error) {
    if (!(error instanceof BootstrapError)) throw error;
    const message = `${failure}; beside it: ${error.message}`;
    const cause = kept === "look again" ? error : kept;
    return new BootstrapError("KEYS_NOT_STORED", message, { cause });
  }
}
