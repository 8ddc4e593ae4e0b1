/** Numbers that depend on a seed alone; sfc32 of PractRand by Chris Doty-Humphrey. */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.#state = Uint32Array.of(
      0x9e37_79b9,
      0x243f_6a88,
      seed >>> 0,
      Math.floor(seed / 2 ** 32) + 1,
    );
    for (let round = 0; round < 15; round++) this.#word();
  }

  /** From 0 to below 1. */
  fraction(): number {
    return this.#word() / 2 ** 32;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** True with that probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of several. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError("there is nothing to choose from");
    return item;
  }

  /** Fills bytes. */
  fill(target: Uint8Array): void {
    for (let at = 0; at < target.length; at++) target[at] = this.#word() & 0xff;
  }

  #word(): number {
    const s = this.#state;
    const [a = 0, b = 0, c = 0, counter = 0] = s;
    const result = (a + b + counter) >>> 0;
    s[3] = counter + 1;
    s[0] = b ^ (b >>> 9);
    s[1] = c + (c << 3);
    s[2] = ((c << 21) | (c >>> 11)) + result;
    return result;
  }
}
