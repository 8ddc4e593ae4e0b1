import type { EnvironmentEntry } from "@svc/kernel";
import type { SecretEntry } from "./delivery.ts";

/** MAX_ARG_STRLEN of execve(2): 32 pages of 4 KiB, with the NUL at the end. */
const MOST_ENTRY_BYTES = 128 * 1024;
const POINTER_BYTES = 8;
/** The arguments need a part of the space, too. */
const VARIABLES_PART = 7 / 8;

/**
 * Why no program can be executed with these values in its environment; undefined if that is
 * possible. It names variables and no exact length.
 *
 * @param space bytes for arguments and environment; `argumentSpace` of @svc/kernel
 */
export function largeValues(
  entries: readonly Pick<SecretEntry, "variable" | "value">[],
  environment: readonly Pick<EnvironmentEntry, "length">[],
  space: number,
): string | undefined {
  const encoder = new TextEncoder();
  const sizes = entries.map(({ variable, value }) => {
    return { variable, bytes: encoder.encode(variable).length + value.length + 2 };
  });
  const large = sizes.filter(({ bytes }) => bytes > MOST_ENTRY_BYTES);
  if (large.length > 0) {
    const names = large.map(({ variable }) => variable).join(", ");
    return `128 KiB is the most for a variable, and ${names} has more`;
  }
  const lengths = [...sizes.map(({ bytes }) => bytes), ...environment.map((one) => one.length + 1)];
  const total = lengths.reduce((sum, bytes) => sum + bytes + POINTER_BYTES, 0);
  if (total <= space * VARIABLES_PART) return undefined;
  const kib = Math.floor(space / 1024);
  return `all variables together are too large for the ${kib} KiB of a quarter of the stack limit`;
}
