/**
 * Work whose outcome must not be older than the question: a caller that comes meanwhile waits for
 * the next one, with all others that came meanwhile. So there is never more than one for a key.
 */
export class NextFlight<V> {
  readonly #current = new Map<string, Promise<V>>();
  readonly #next = new Map<string, Promise<V>>();

  /** Begins the work, or joins work that begins after this call. */
  run(key: string, work: () => Promise<V>): Promise<V> {
    const current = this.#current.get(key);
    if (current === undefined) return this.#begin(key, work);
    const joined = this.#next.get(key);
    if (joined !== undefined) return joined;
    const begin = () => {
      this.#next.delete(key);
      return this.#current.get(key) ?? this.#begin(key, work);
    };
    const next = current.then(begin, begin);
    this.#next.set(key, next);
    return next;
  }

  #begin(key: string, work: () => Promise<V>): Promise<V> {
    const flight = work().finally(() => this.#current.delete(key));
    this.#current.set(key, flight);
    return flight;
  }
}
