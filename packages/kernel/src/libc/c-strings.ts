import { addressOf } from "#native";

/** Bytes that end in NUL, as C functions want them. Refuses a NUL inside. */
export function cString(text: string | Uint8Array): Uint8Array {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  if (bytes.includes(0)) throw new TypeError("a C string cannot hold a NUL byte");
  const terminated = new Uint8Array(bytes.length + 1);
  terminated.set(bytes);
  return terminated;
}

/**
 * A NULL-terminated `char *[]`. The buffers it points at must outlive it, so they are kept with it.
 */
export interface StringVector {
  readonly pointers: BigUint64Array;
  readonly keep: readonly Uint8Array[];
}

/** Builds a vector from C strings of ours and from addresses that already hold C strings. */
export function stringVector(items: readonly (Uint8Array | number)[]): StringVector {
  const pointers = new BigUint64Array(items.length + 1);
  items.forEach((item, index) => {
    pointers[index] = BigInt(typeof item === "number" ? item : addressOf(item));
  });
  return { pointers, keep: items.filter((item) => typeof item !== "number") };
}
