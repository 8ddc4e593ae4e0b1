import { cString, type EnvironmentEntry, stringVector } from "@svc/kernel";

// The entries point at these bytes, which must outlive them.
const kept: Uint8Array[] = [];

/**
 * Entries of our own environment block, from `NAME=value` texts (latin1, so that any byte can be
 * written).
 */
export function entriesOf(...texts: readonly string[]): readonly EnvironmentEntry[] {
  return texts.map((text) => {
    const bytes = cString(Buffer.from(text, "latin1"));
    kept.push(bytes);
    const equals = text.indexOf("=");
    const address = Number(stringVector([bytes]).pointers[0]);
    return {
      name: equals < 0 ? text : text.slice(0, equals),
      address,
      length: text.length,
      valueOffset: equals < 0 ? text.length : equals + 1,
    };
  });
}
