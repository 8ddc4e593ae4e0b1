import {
  copyValue,
  type EnvironmentEntry,
  type SecretMemory,
  sizeAndMap,
  wipeEntry,
} from "@svc/kernel";

/** The variable that must not stay in the environment block. */
export const tokenVariable = "VAULT_TOKEN";

/**
 * Moves the token out of the environment block into its region, by address: it never enters the JS
 * heap, and /proc/PID/environ shows zeroes afterwards. The mapping is gone when this returns.
 *
 * @returns the token's length in bytes; 0 where VAULT_TOKEN is not set or empty.
 */
export function takeToken(environment: readonly EnvironmentEntry[], region: SecretMemory): number {
  const entries = environment.filter(({ name }) => name === tokenVariable);
  const [first] = entries;
  const length = first === undefined ? 0 : first.length - first.valueOffset;
  if (first !== undefined && length > 0) {
    const mapping = sizeAndMap(region, length);
    copyValue(first, mapping.address);
    mapping.unmap();
  }
  for (const entry of entries) wipeEntry(entry);
  return length;
}
