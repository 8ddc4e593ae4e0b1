/** An attempt, in what makes two of them the same: who, whom, how. */
export interface AttemptKey {
  readonly actorPid: number;
  readonly actorStart: bigint;
  readonly targetPid: number;
  readonly registration: bigint;
  readonly kind: number;
  readonly detail: number;
}

/** Attempts that were summed up. */
export interface Repetition<Event> {
  /** The first of them. */
  readonly event: Event;
  /** How many there were. */
  readonly count: number;
}

/** How many alike in one interval are told of one by one. */
const MOST_ALIKE = 20;

/** Different ones that are counted in one interval; those beyond are told of one by one. */
const MOST_KEYS = 4096;

interface Group<Event> {
  readonly key: AttemptKey;
  told: number;
  untold: number;
  firstUntold: Event | undefined;
}

/**
 * Tells of the first attempts of a kind at once, and sums up what follows in the same interval: a process that attempts a million
 * times a second is one fact. Nothing is dropped: a sum says how many it stands for.
 */
export class Coalescer<Event> {
  readonly #groups = new Map<string, Group<Event>>();
  #latest: Group<Event> | undefined;

  /**
   * True where it is to be told of now; else it will be in `takeRepetitions`.
   *
   * @param read called before this returns, if at all: of many, one is read.
   */
  admit(key: AttemptKey, read: () => Event): boolean {
    const group = this.#groupOf(key);
    if (group === undefined) return true;
    if (group.told < MOST_ALIKE) {
      group.told += 1;
      return true;
    }
    group.untold += 1;
    group.firstUntold ??= read();
    return false;
  }

  /** What was summed up; begins the next interval. */
  takeRepetitions(): readonly Repetition<Event>[] {
    const repetitions = [...this.#groups.values()].flatMap(({ untold, firstUntold }) =>
      firstUntold === undefined ? [] : [{ event: firstUntold, count: untold }],
    );
    this.#groups.clear();
    this.#latest = undefined;
    return repetitions;
  }

  #groupOf(key: AttemptKey): Group<Event> | undefined {
    // Who repeats itself does so in a row: no text has to be made then.
    if (this.#latest !== undefined && areSame(this.#latest.key, key)) return this.#latest;
    const text = `${key.kind}:${key.detail}:${key.actorPid}:${key.actorStart}:${key.targetPid}:${key.registration}`;
    let group = this.#groups.get(text);
    if (group === undefined) {
      if (this.#groups.size >= MOST_KEYS) return undefined;
      group = { key, told: 0, untold: 0, firstUntold: undefined };
      this.#groups.set(text, group);
    }
    this.#latest = group;
    return group;
  }
}

function areSame(one: AttemptKey, other: AttemptKey): boolean {
  return (
    one.actorPid === other.actorPid &&
    one.targetPid === other.targetPid &&
    one.kind === other.kind &&
    one.detail === other.detail &&
    one.actorStart === other.actorStart &&
    one.registration === other.registration
  );
}
