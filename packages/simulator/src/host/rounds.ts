/** The answer to the question for the next event; `undefined`: no source has one. */
export type Step<Event> = { readonly event: Event } | "round over" | undefined;

/**
 * Fair rounds over sources of events, as engine/host/src/rounds.rs: a round takes a bounded number
 * of events from each source.
 */
export class Rounds {
  /** The most events of each source in one round. */
  readonly #budgets: readonly number[];
  /** The source that is asked next, and the events that it had in this round. */
  #at = 0;
  #had = 0;
  #hasTaken = false;

  constructor(budgets: readonly number[]) {
    this.#budgets = budgets;
  }

  /** Asks for the next event. `take` takes one from a source, by its place. */
  step<Event>(take: (source: number) => Event | undefined): Step<Event> {
    for (; this.#at < this.#budgets.length; this.#at++, this.#had = 0) {
      if (this.#had >= (this.#budgets[this.#at] ?? 0)) continue;
      const event = take(this.#at);
      if (event === undefined) continue;
      this.#had++;
      this.#hasTaken = true;
      return { event };
    }
    this.#at = 0;
    const hadEvents = this.#hasTaken;
    this.#hasTaken = false;
    return hadEvents ? "round over" : undefined;
  }
}
