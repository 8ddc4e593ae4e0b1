import {
  closeDescriptor,
  copyValue,
  type EnvironmentEntry,
  type MapOptions,
  type SecretMemory,
  SyscallError,
  sizeAndMap,
  wipeEntry,
} from "@svc/kernel";
import { WrapperError } from "../errors.ts";
import { isLockLimit, lockFailure, lockLimitMessage } from "../lock-limit-message.ts";
import { digestKeyLength } from "../session.ts";
import type { MemoryMaker } from "./secret-memory.ts";

/** The variable that must not stay in the environment block. */
export const tokenVariable = "VAULT_TOKEN";

/** The session that the token went to. */
export interface TakenToken {
  readonly memory: SecretMemory;
  /** The session's length in bytes; 0 if VAULT_TOKEN is not set or empty. */
  readonly lengthBytes: number;
  /** Why its pages could be written to swap, if they could. */
  readonly unlocked?: string;
}

/**
 * Moves the token out of the environment block into a session region, by address: it never enters
 * the JS heap, and /proc/PID/environ shows zeroes afterwards. The mapping is gone when this
 * returns. If the region may not be locked, it is ordinary memory: the settings, which say
 * whether that is enough, are not read yet.
 */
export function takeToken(
  environment: readonly EnvironmentEntry[],
  memory: MemoryMaker,
): TakenToken {
  const entries = environment.filter(({ name }) => name === tokenVariable);
  const [first] = entries;
  const length = first === undefined ? 0 : first.length - first.valueOffset;
  try {
    if (first === undefined || length === 0) return { memory: memory.make(), lengthBytes: 0 };
    return begunSession(first, digestKeyLength + length, memory);
  } finally {
    for (const entry of entries) wipeEntry(entry);
  }
}

function begunSession(
  entry: EnvironmentEntry,
  lengthBytes: number,
  memory: MemoryMaker,
): TakenToken {
  let unlocked: string | undefined;
  const onUnlocked = (error: SyscallError) => {
    unlocked = lockLimitMessage("lock VAULT_TOKEN", error, lengthBytes);
  };
  const region = memory.make();
  try {
    writeSession(entry, lengthBytes, region, { onUnlocked });
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const attempt = "protect VAULT_TOKEN";
    if (region.kind === "memfd" || !isLockLimit(error)) {
      throw new WrapperError([lockFailure(attempt, error, lengthBytes)], error);
    }
    closeDescriptor(region.fd);
    memory.degrade(lockLimitMessage(attempt, error, lengthBytes));
    return begunSession(entry, lengthBytes, memory);
  }
  return { memory: region, lengthBytes, ...(unlocked === undefined ? {} : { unlocked }) };
}

function writeSession(
  entry: EnvironmentEntry,
  length: number,
  region: SecretMemory,
  options: MapOptions,
): void {
  const mapping = sizeAndMap(region, length, options);
  crypto.getRandomValues(mapping.bytes.subarray(0, digestKeyLength));
  copyValue(entry, mapping.address + digestKeyLength);
  mapping.unmap();
}
