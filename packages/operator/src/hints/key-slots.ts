/** Keys of MACs, side by side: an array for each of 100,000 would take four times as much. */
export interface KeySlots {
  /** Keeps a key of 64 hexadecimal digits, and gives its number. */
  readonly put: (hex: string) => number;
  /** The key itself, as long as it is kept. */
  readonly at: (slot: number) => Uint8Array;
  /** Overwrites it. */
  readonly drop: (slot: number) => void;
}

const KEY_BYTES = 32;
const BLOCK_KEYS = 1024;

/** Makes slots, of which none is taken. */
export function keySlots(): KeySlots {
  const blocks: Uint8Array[] = [];
  const free: number[] = [];
  const at = (slot: number): Uint8Array => {
    const block = blocks[Math.floor(slot / BLOCK_KEYS)];
    if (block === undefined) throw new RangeError("there is no such slot");
    const begin = (slot % BLOCK_KEYS) * KEY_BYTES;
    return block.subarray(begin, begin + KEY_BYTES);
  };
  const grow = (): void => {
    const first = blocks.length * BLOCK_KEYS;
    blocks.push(new Uint8Array(BLOCK_KEYS * KEY_BYTES));
    for (let slot = first + BLOCK_KEYS - 1; slot >= first; slot -= 1) free.push(slot);
  };
  return {
    at,
    put: (hex) => {
      if (free.length === 0) grow();
      const slot = free.pop();
      if (slot === undefined) throw new RangeError("there is no slot");
      at(slot).setFromHex(hex);
      return slot;
    },
    drop: (slot) => {
      at(slot).fill(0);
      free.push(slot);
    },
  };
}
