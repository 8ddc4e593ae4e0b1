/** How much of something may happen. */
export interface Rate {
  /** At once. */
  readonly burst: number;
  readonly perSecond: number;
}

/** Lets a number through, and no more. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #nowMs: () => number;
  #left: number;
  #atMs: number;

  constructor(rate: Rate, nowMs: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#nowMs = nowMs;
    this.#left = rate.burst;
    this.#atMs = nowMs();
  }

  /** Takes one; false if there is none. */
  take(): boolean {
    const nowMs = this.#nowMs();
    const { burst, perSecond } = this.#rate;
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) / 1000) * perSecond);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
