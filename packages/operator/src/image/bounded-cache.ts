/** How much a cache keeps. */
export interface CacheBounds {
  readonly entries: number;
  /** The most bytes of keys and values together, by the sizes that `put` gets. */
  readonly bytes: number;
}

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
  readonly endsMs: number;
}

/** Keeps the last used entries, within its bounds, and each for its time. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #bounds: CacheBounds;
  readonly #now: () => number;
  #bytes = 0;

  /** @param now a clock in milliseconds that never goes back */
  constructor(bounds: CacheBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.endsMs <= this.#now()) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    // A Map keeps the order of insertion: the first is the least recently used.
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value for `lifeMs` milliseconds; one that alone passes the bounds is not kept. */
  put(
    key: string,
    value: V,
    { bytes, lifeMs }: { readonly bytes: number; readonly lifeMs: number },
  ): void {
    this.delete(key);
    const weight = bytes + key.length;
    if (weight > this.#bounds.bytes || lifeMs <= 0) return;
    this.#entries.set(key, { value, bytes: weight, endsMs: this.#now() + lifeMs });
    this.#bytes += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
