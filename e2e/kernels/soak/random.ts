/** Numbers that look random, and are the same for the same seed (mulberry32). */
export interface Random {
  /** From 0 to, and without, 1. */
  readonly next: () => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
}

/** @param seed any 32 bits. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  };
}
