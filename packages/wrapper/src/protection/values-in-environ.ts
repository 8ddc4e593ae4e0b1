import { placeholderValue } from "@svc/protocol";
import { latin1Text } from "../latin1.ts";

const NUL = 0;
const EQUALS = 0x3d;
const encoder = new TextEncoder();
const placeholder = encoder.encode(placeholderValue);

/**
 * How many variables of these names an environment block holds with something else than the
 * placeholder, or than nothing: if a copy was wiped, its name stays. Names are turned into text,
 * values never.
 */
export function valuesInEnviron(block: Uint8Array, variables: readonly string[]): number {
  const names = new Set(variables.map((name) => latin1Text(encoder.encode(name))));
  let count = 0;
  for (let start = 0; start < block.length; ) {
    const nul = block.indexOf(NUL, start);
    const end = nul < 0 ? block.length : nul;
    const entry = block.subarray(start, end);
    const equals = entry.indexOf(EQUALS);
    const isOurs = equals > 0 && names.has(latin1Text(entry.subarray(0, equals)));
    const value = entry.subarray(equals + 1);
    if (isOurs && value.length > 0 && !isPlaceholder(value)) count += 1;
    start = end + 1;
  }
  return count;
}

function isPlaceholder(value: Uint8Array): boolean {
  return (
    value.length === placeholder.length && value.every((byte, index) => byte === placeholder[index])
  );
}
