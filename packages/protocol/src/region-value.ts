/** A value that goes into a region. It can be a secret that stays closed. */
export interface RegionValue {
  /** Number of bytes. */
  readonly length: number;
  /** True if one of the bytes is NUL, which no region can hold in a value. */
  readonly hasNul: boolean;
  /** Copies all bytes to the start of the target; throws RangeError if that is too short. */
  readonly writeTo: (target: Uint8Array) => void;
  /** Whether it has the same bytes as a region's value. */
  readonly equals: (bytes: Uint8Array) => boolean;
}

/** Bytes that are at hand as a value. */
export function plainValue(bytes: Uint8Array): RegionValue {
  return {
    length: bytes.length,
    hasNul: bytes.includes(0),
    writeTo: (target) => target.set(bytes),
    equals: (other) =>
      other.length === bytes.length && bytes.every((byte, index) => byte === other[index]),
  };
}
