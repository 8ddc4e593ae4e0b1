/** Work that several wait for is done once. */
export class SingleFlight<V> {
  readonly #flights = new Map<string, Promise<V>>();

  /** Joins the running work for the key, or begins it. */
  run(key: string, work: () => Promise<V>): Promise<V> {
    const underWay = this.#flights.get(key);
    if (underWay !== undefined) return underWay;
    const flight = work().finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }
}
