import { ImageError } from "./image-error.ts";

/** How many look-ups there are at a time. */
export interface LookupBounds {
  /** That are under way. */
  readonly flights: number;
  /** That wait for one of these to end. */
  readonly waiting: number;
  /** How long one waits, in milliseconds: a later result is useless. */
  readonly waitMs: number;
}

interface Waiting {
  readonly asker: string;
  readonly begin: () => void;
}

/**
 * Places for lookups. One namespace has at most a quarter of them, and of the waiting ones: with
 * images of servers that do not answer it would block all others.
 */
export class LookupPlaces {
  readonly #bounds: LookupBounds;
  readonly #underWay = new Map<string, number>();
  readonly #queue = new Set<Waiting>();
  #taken = 0;

  constructor(bounds: LookupBounds) {
    this.#bounds = bounds;
  }

  /**
   * Does the work when there is a place for it.
   * @throws ImageError `BUSY` if there is no place, and will not be one in time
   */
  async run<T>(asker: string, operation: string, work: () => Promise<T>): Promise<T> {
    if (!this.#hasPlace(asker)) await this.#turn(asker, operation);
    this.#count(asker, 1);
    try {
      return await work();
    } finally {
      this.#count(asker, -1);
      this.#beginNext();
    }
  }

  #hasPlace(asker: string): boolean {
    const { flights } = this.#bounds;
    return this.#taken < flights && (this.#underWay.get(asker) ?? 0) < shareOf(flights);
  }

  #turn(asker: string, operation: string): Promise<void> {
    const { waiting: most, waitMs } = this.#bounds;
    const own = [...this.#queue].filter((each) => each.asker === asker).length;
    if (this.#queue.size >= most || own >= shareOf(most)) return Promise.reject(busy(operation));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#queue.delete(waiting);
      reject(busy(operation));
    }, waitMs);
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    const waiting = { asker, begin };
    this.#queue.add(waiting);
    return promise;
  }

  #beginNext(): void {
    for (const waiting of this.#queue) {
      if (!this.#hasPlace(waiting.asker)) continue;
      this.#queue.delete(waiting);
      waiting.begin();
      return;
    }
  }

  #count(asker: string, change: 1 | -1): void {
    const left = (this.#underWay.get(asker) ?? 0) + change;
    this.#taken += change;
    if (left === 0) this.#underWay.delete(asker);
    else this.#underWay.set(asker, left);
  }
}

function shareOf(all: number): number {
  return Math.ceil(all / 4);
}

function busy(operation: string): ImageError {
  return new ImageError("BUSY", `${operation}: too many others are being looked up`);
}
