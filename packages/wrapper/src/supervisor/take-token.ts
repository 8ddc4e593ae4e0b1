import {
  copyValue,
  type EnvironmentEntry,
  memoryLockLimit,
  type SecretMemory,
  SyscallError,
  sizeAndMap,
  wipeEntry,
} from "@svc/kernel";
import { failure, WrapperError } from "../errors.ts";
import { digestKeyLength } from "../session.ts";

/** The variable that must not stay in the environment block. */
export const tokenVariable = "VAULT_TOKEN";

/**
 * Moves the token out of the environment block into the session region, by address: it never enters
 * the JS heap, and /proc/PID/environ shows zeroes afterwards. The mapping is gone when this returns.
 *
 * @returns the session's length in bytes; 0 where VAULT_TOKEN is not set or empty.
 */
export function takeToken(environment: readonly EnvironmentEntry[], region: SecretMemory): number {
  const entries = environment.filter(({ name }) => name === tokenVariable);
  const [first] = entries;
  const length = first === undefined ? 0 : first.length - first.valueOffset;
  const sessionLength = length === 0 ? 0 : digestKeyLength + length;
  if (first !== undefined && length > 0) beginSession(first, sessionLength, region);
  for (const entry of entries) wipeEntry(entry);
  return sessionLength;
}

/** @throws WrapperError `MEMORY_LOCK_LIMIT` where not even one page may be locked. */
function beginSession(entry: EnvironmentEntry, length: number, region: SecretMemory): void {
  try {
    const mapping = sizeAndMap(region, length);
    crypto.getRandomValues(mapping.bytes.subarray(0, digestKeyLength));
    copyValue(entry, mapping.address + digestKeyLength);
    mapping.unmap();
  } catch (error) {
    wipeEntry(entry);
    if (!(error instanceof SyscallError)) throw error;
    const message = `protect VAULT_TOKEN: ${error.message}: it needs a page of locked memory, RLIMIT_MEMLOCK is ${memoryLockLimit()} bytes`;
    throw new WrapperError([failure("MEMORY_LOCK_LIMIT", message)], error);
  }
}
