/** Tokens that are tried at a time, one for an address. */
const MOST_CHECKS = 8;
/** The places among them for addresses that have brought a wrong token before. */
const MOST_CHECKS_AFTER_FAILURE = 4;
/** Requests that wait for their turn. Each holds a connection, of which probes need some, too. */
const MOST_WAITING = 32;
/** Addresses with failures that are remembered. The one that failed longest ago is forgotten. */
const MOST_REMEMBERED = 4096;

/** Smaller numbers come first. */
type Rank = 0 | 1 | 2;

interface Waiting {
  readonly group: string;
  readonly rank: Rank;
  readonly decide: (isGranted: boolean) => void;
}

/**
 * Gives tokens of many addresses their turns at the vault, so that addresses which bring wrong ones
 * keep no other address waiting. The node's own addresses come first, then those without a failure.
 */
export class CheckTurns {
  readonly #isNode: (group: string) => boolean;
  readonly #checking = new Map<string, Rank>();
  readonly #failed = new Set<string>();
  #waiting: readonly Waiting[] = [];

  /** @param isNode whether a group of addresses is the node's or this machine's. */
  constructor(isNode: (group: string) => boolean) {
    this.#isNode = isNode;
  }

  /** Whether a token of the group is being checked, or waits for that. */
  has(group: string): boolean {
    return this.#checking.has(group) || this.#waiting.some((waiting) => waiting.group === group);
  }

  /**
   * Waits for the turn of a group that has none yet. False if more are waiting than can: it may try
   * again. After true, `end` has to be called.
   */
  begin(group: string): Promise<boolean> {
    const decision = Promise.withResolvers<boolean>();
    const entry = { group, rank: this.#rankOf(group), decide: decision.resolve };
    // Those of one rank stay in the order of their coming.
    const ranked = [...this.#waiting, entry].toSorted((a, b) => a.rank - b.rank);
    this.#waiting = ranked.slice(0, MOST_WAITING);
    for (const { decide } of ranked.slice(MOST_WAITING)) decide(false);
    this.#grant();
    return decision.promise;
  }

  /** Ends the turn of a group. */
  end(group: string, hasFailed: boolean): void {
    this.#checking.delete(group);
    if (hasFailed) this.#remember(group);
    this.#grant();
  }

  #remember(group: string): void {
    // The newest is last.
    this.#failed.delete(group);
    this.#failed.add(group);
    for (const oldest of this.#failed) {
      if (this.#failed.size <= MOST_REMEMBERED) return;
      this.#failed.delete(oldest);
    }
  }

  #rankOf(group: string): Rank {
    if (this.#isNode(group)) return 0;
    return this.#failed.has(group) ? 2 : 1;
  }

  #grant(): void {
    const next = this.#waiting.find(({ rank }) => this.#hasRoomFor(rank));
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    this.#checking.set(next.group, next.rank);
    next.decide(true);
    this.#grant();
  }

  #hasRoomFor(rank: Rank): boolean {
    if (this.#checking.size >= MOST_CHECKS) return false;
    const failed = [...this.#checking.values()].filter((other) => other === 2).length;
    return rank !== 2 || failed < MOST_CHECKS_AFTER_FAILURE;
  }
}
