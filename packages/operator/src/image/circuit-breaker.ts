/** When a breaker opens and for how long. */
export interface BreakerBounds {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it then stays open, in milliseconds. */
  readonly openMs: number;
  /** The longest that a server itself may ask for, in milliseconds. */
  readonly longestOpenMs: number;
  /** Servers that are remembered. */
  readonly servers: number;
}

/** The defaults. */
export const breakerBounds: BreakerBounds = {
  failures: 5,
  openMs: 15_000,
  longestOpenMs: 300_000,
  servers: 1000,
};

interface Standing {
  readonly failures: number;
  /** 0 if it is closed. */
  readonly opensAgainMs: number;
}

/** Leaves servers alone that keep failing; after a time one request is let through to see. */
export class CircuitBreaker {
  readonly #servers = new Map<string, Standing>();
  readonly #bounds: BreakerBounds;
  readonly #now: () => number;

  /** @param now a clock in milliseconds that never goes back */
  constructor(bounds: BreakerBounds = breakerBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /**
   * Milliseconds until the server may be asked again; 0 if it may be now. Every 0 is for one
   * request.
   */
  waitMs(server: string): number {
    const standing = this.#servers.get(server);
    if (standing === undefined || standing.opensAgainMs === 0) return 0;
    const left = standing.opensAgainMs - this.#now();
    if (left > 0) return left;
    // Half open: the next request waits for the outcome of this one.
    this.#put(server, { ...standing, opensAgainMs: this.#now() + this.#bounds.openMs });
    return 0;
  }

  succeeded(server: string): void {
    this.#servers.delete(server);
  }

  failed(server: string): void {
    const failures = (this.#servers.get(server)?.failures ?? 0) + 1;
    const opens = failures >= this.#bounds.failures;
    this.#put(server, { failures, opensAgainMs: opens ? this.#now() + this.#bounds.openMs : 0 });
  }

  /** The server itself asked to be left alone. */
  asked(server: string, waitMs: number): void {
    const failures = this.#servers.get(server)?.failures ?? 0;
    const bounded = Math.min(waitMs, this.#bounds.longestOpenMs);
    this.#put(server, { failures, opensAgainMs: this.#now() + bounded });
  }

  #put(server: string, standing: Standing): void {
    this.#servers.delete(server);
    this.#servers.set(server, standing);
    for (const oldest of this.#servers.keys()) {
      if (this.#servers.size <= this.#bounds.servers) break;
      this.#servers.delete(oldest);
    }
  }
}
