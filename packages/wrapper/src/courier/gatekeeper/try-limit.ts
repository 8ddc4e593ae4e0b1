/** Failed tries that are granted at once. */
export const BURST = 5;
/** How long it takes until one more is granted. */
export const REFILL_MS = 10_000;

/**
 * Bounds how many tokens can be guessed: a bucket of tries that fills again with time. It is one for
 * all clients: who guesses has many addresses. Pure but for its own count.
 */
export class TryLimit {
  readonly #now: () => number;
  #tries = BURST;
  #countedAtMs: number;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
    this.#countedAtMs = now();
  }

  /** Milliseconds until a try is granted; 0 where it is granted now. */
  waitMs(): number {
    this.#refill();
    return this.#tries >= 1 ? 0 : Math.ceil((1 - this.#tries) * REFILL_MS);
  }

  /** Notes that a try failed. */
  failed(): void {
    this.#refill();
    this.#tries = Math.max(0, this.#tries - 1);
  }

  #refill(): void {
    const now = this.#now();
    this.#tries = Math.min(BURST, this.#tries + (now - this.#countedAtMs) / REFILL_MS);
    this.#countedAtMs = now;
  }
}
