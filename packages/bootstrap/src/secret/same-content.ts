import type { SecretContent } from "./secret-object.ts";

/** True where a Secret has the type, the annotations and the bytes that were to be written. */
export function sameContent(found: SecretContent, wanted: SecretContent): boolean {
  const isNoted = ([name, text]: [string, string]) => found.annotations[name] === text;
  return (
    found.type === wanted.type &&
    found.data.size === wanted.data.size &&
    Object.entries(wanted.annotations).every(isNoted) &&
    [...wanted.data].every(([key, bytes]) => sameBytes(found.data.get(key), bytes))
  );
}

function sameBytes(found: Uint8Array | undefined, wanted: Uint8Array): boolean {
  return found?.length === wanted.length && found.every((byte, index) => byte === wanted[index]);
}
