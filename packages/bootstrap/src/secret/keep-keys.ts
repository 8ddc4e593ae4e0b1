import type { Initialised } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { Patience } from "../store/ask-until.ts";
import { parsePhase } from "./parse-phase.ts";
import { placeForKeys } from "./place-for-keys.ts";
import { sameContent } from "./same-content.ts";
import type { SecretContent, SecretDoor } from "./secret-object.ts";
import type { KeyCiphers, StoredKeys } from "./secret-phase.ts";
import { writePhase } from "./write-phase.ts";
import { writtenOver } from "./written-over.ts";

/**
 * Keys that are nowhere else are worth some waiting: for an API server that starts again, or for somebody who
 * gives back a right that was taken away.
 */
export const KEEPING_PATIENCE: Patience = { deadlineMs: 300_000, intervalMs: 500 };

/** A store's new keys, and what of them only the wish has said. */
export interface NewKeys extends Initialised {
  readonly threshold: number;
  readonly encryption: KeyCiphers;
  readonly createdMs: number;
}

/**
 * Writes a store's new keys into the Secret in one update and reads them back, byte by byte. Lost answers,
 * conflicts and a deleted Secret are got over; a Secret that holds something else is left alone, and the keys
 * go into a new one beside it.
 *
 * @throws BootstrapError `OUTPUT_BESIDE` with the name of that other Secret; `KEYS_NOT_STORED`
 */
export async function keepKeys(
  door: SecretDoor,
  keys: NewKeys,
  { deadlineMs, intervalMs }: Patience = KEEPING_PATIENCE,
): Promise<StoredKeys> {
  const stored = newlyStored(keys);
  const content = writePhase(stored);
  const end = performance.now() + deadlineMs;
  for (;;) {
    const kept = await attempt(door, content);
    if (kept === "kept") return stored;
    if (kept instanceof BootstrapError) {
      if (performance.now() >= end) throw await lastResort(door, content, kept);
      await Bun.sleep(intervalMs);
    }
  }
}

/** New keys as they are stored. */
export function newlyStored(keys: NewKeys): StoredKeys {
  return { ...keys, phase: "initialised", revoking: false, clusterId: undefined };
}

/** One look and, unless the keys are there, one write. */
async function attempt(
  door: SecretDoor,
  content: SecretContent,
): Promise<"kept" | "look again" | BootstrapError> {
  try {
    const seen = await door.read();
    if (seen !== undefined && sameContent(seen, content)) return "kept";
    if (placeForKeys(parsePhase(seen)) === "beside") throw await besides(door, content);
    const write =
      seen === undefined
        ? door.create(content)
        : door.replace(writtenOver(content, seen), seen.revision);
    return (await write) === "written" ? "look again" : conflict(door);
  } catch (error) {
    if (error instanceof BootstrapError && error.code !== "OUTPUT_BESIDE") return error;
    throw error;
  }
}

async function besides(door: SecretDoor, content: SecretContent): Promise<BootstrapError> {
  const name = await door.createBeside(content);
  const found = `it was changed meanwhile: they are in the secret "${name}"`;
  return new BootstrapError("OUTPUT_BESIDE", `store the keys in ${door.name}: ${found}`);
}

function conflict({ name }: SecretDoor): BootstrapError {
  const message = `store the keys in ${name}: somebody else has changed it at the same time`;
  return new BootstrapError("OUTPUT_NOT_KEPT", message);
}

/** An account that may create Secrets may still be let down by the rights for the one. */
async function lastResort(
  door: SecretDoor,
  content: SecretContent,
  failure: BootstrapError,
): Promise<BootstrapError> {
  try {
    return await besides(door, content);
  } catch (error) {
    if (!(error instanceof BootstrapError)) throw error;
    const message = `${failure.message}; beside it: ${error.message}`;
    return new BootstrapError("KEYS_NOT_STORED", message, { cause: failure });
  }
}
