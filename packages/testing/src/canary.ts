/** The beginning of every canary, so that a leak shows in any output. */
export const CANARY_PREFIX = "canary-";

/**
 * A random secret value that can be recognised wherever it turns up: letters, digits and dashes.
 */
export function canary(): string {
  return `${CANARY_PREFIX}${crypto.randomUUID()}`;
}
