/** Numbers that look random and are the same for the same seed (mulberry32). */
export interface SeededRandom {
  /** At least 0 and less than this. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(choices: readonly T[]) => T | undefined;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: (choices) => choices[below(choices.length)] };
}
