import { annotationNames } from "./secret-format.ts";
import type { SecretContent } from "./secret-object.ts";

/**
 * True if a Secret has the type, the annotations and the bytes that were to be written. Labels, and
 * annotations of others, do not count.
 */
export function sameContent(found: SecretContent, wanted: SecretContent): boolean {
  const isNoted = (name: string) => found.annotations[name] === wanted.annotations[name];
  return (
    found.type === wanted.type &&
    found.data.size === wanted.data.size &&
    annotationNames.every(isNoted) &&
    [...wanted.data].every(([key, bytes]) => sameBytes(found.data.get(key), bytes))
  );
}

function sameBytes(found: Uint8Array | undefined, wanted: Uint8Array): boolean {
  return found?.length === wanted.length && found.every((byte, index) => byte === wanted[index]);
}
