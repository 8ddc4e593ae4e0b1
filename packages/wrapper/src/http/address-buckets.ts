/** How many times an address may do something at once, and how often after that. */
export interface BucketRate {
  readonly burst: number;
  readonly refillMs: number;
}

/**
 * Addresses that are remembered at a time. The one that was idle for longest is forgotten first.
 */
const MOST_ADDRESSES = 1024;

interface Bucket {
  left: number;
  countedAtMs: number;
}

/**
 * A bucket for each address, which fills again with time: one address cannot use up another's. A
 * bucket that is full needs no memory. Pure except for its own count.
 */
export class AddressBuckets {
  readonly #rate: BucketRate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(rate: BucketRate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Milliseconds until the bucket has something; 0 if it has now. */
  waitMs(group: string): number {
    const left = this.#leftIn(group);
    return left >= 1 ? 0 : Math.ceil((1 - left) * this.#rate.refillMs);
  }

  /** Takes one out, if there is one. */
  take(group: string): void {
    const left = Math.max(0, this.#leftIn(group) - 1);
    // The newest is last.
    this.#buckets.delete(group);
    this.#buckets.set(group, { left, countedAtMs: this.#now() });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MOST_ADDRESSES) return;
      this.#buckets.delete(oldest);
    }
  }

  #leftIn(group: string): number {
    const { burst, refillMs } = this.#rate;
    const bucket = this.#buckets.get(group);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.left + (this.#now() - bucket.countedAtMs) / refillMs);
  }
}
