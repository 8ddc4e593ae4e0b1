/** An attempt: actor, target and way. */
export interface AttemptKey {
  readonly actorPid: number;
  readonly actorStart: bigint;
  readonly actorCgroup: bigint;
  /** The inode of the file that the actor runs. */
  readonly actorInode: bigint;
  readonly targetPid: number;
  readonly registration: bigint;
  readonly kind: number;
  readonly detail: number;
  readonly decision: number;
  /** That it was let through by; 0 if there is none. */
  readonly policy: number;
}

/** Attempts that were summed up. */
export interface Repetition<Event> {
  /** The first of them. */
  readonly event: Event;
  /** How many there were. */
  readonly count: number;
}

/** How many of one process on one target are reported one by one in an interval. */
const MOST_OF_PROCESS = 20;
/**
 * The most reported attempts of all processes that run the same file in the same cgroup, on all
 * targets of a registration.
 */
const MOST_OF_PROGRAM = 100;

/**
 * Different ones of each that are counted in one interval; those beyond are reported one by one.
 */
const MOST_KEYS = 4096;

interface Group<Event> {
  readonly key: AttemptKey;
  told: number;
  untold: number;
  firstUntold: Event | undefined;
}

/**
 * Reports the first attempts of a kind at once, and sums up later ones of the same interval. A
 * process that makes a million attempts a second gives one sum, and so do a thousand processes of a
 * program that make one each. Otherwise an attacker could push the important events out of the
 * spool. Nothing is dropped: a sum has the number of attempts.
 */
export class Coalescer<Event> {
  readonly #processes = new Map<string, Group<Event>>();
  readonly #programs = new Map<string, Group<Event>>();
  #latest: Group<Event> | undefined;

  /**
   * True if it is to be reported now; else it will be in `takeRepetitions`.
   *
   * @param read called before this returns, if at all: of many, one is read.
   */
  admit(key: AttemptKey, read: () => Event): boolean {
    const process = this.#processOf(key);
    if (process !== undefined && process.told >= MOST_OF_PROCESS) return sumUp(process, read);
    const program = groupIn(this.#programs, key, programText(key));
    if (program !== undefined && program.told >= MOST_OF_PROGRAM) return sumUp(program, read);
    for (const group of [process, program]) if (group !== undefined) group.told += 1;
    return true;
  }

  /** The sums; begins the next interval. */
  takeRepetitions(): readonly Repetition<Event>[] {
    const groups = [...this.#processes.values(), ...this.#programs.values()];
    const repetitions = groups.flatMap(({ untold, firstUntold }) =>
      firstUntold === undefined ? [] : [{ event: firstUntold, count: untold }],
    );
    this.#processes.clear();
    this.#programs.clear();
    this.#latest = undefined;
    return repetitions;
  }

  #processOf(key: AttemptKey): Group<Event> | undefined {
    // Repeated attempts come in a row: no text has to be made then.
    if (this.#latest !== undefined && areSame(this.#latest.key, key)) return this.#latest;
    this.#latest = groupIn(this.#processes, key, processText(key));
    return this.#latest;
  }
}

function sumUp<Event>(group: Group<Event>, read: () => Event): false {
  group.untold += 1;
  group.firstUntold ??= read();
  return false;
}

function groupIn<Event>(
  groups: Map<string, Group<Event>>,
  key: AttemptKey,
  text: string,
): Group<Event> | undefined {
  const known = groups.get(text);
  if (known !== undefined || groups.size >= MOST_KEYS) return known;
  const group = { key, told: 0, untold: 0, firstUntold: undefined };
  groups.set(text, group);
  return group;
}

function processText(key: AttemptKey): string {
  return `${key.kind}:${key.detail}:${key.decision}:${key.policy}:${key.actorPid}:${key.actorStart}:${key.targetPid}:${key.registration}`;
}

function programText(key: AttemptKey): string {
  return `${key.kind}:${key.detail}:${key.decision}:${key.policy}:${key.actorInode}:${key.actorCgroup}:${key.registration}`;
}

function areSame(one: AttemptKey, other: AttemptKey): boolean {
  return (
    one.actorPid === other.actorPid &&
    one.targetPid === other.targetPid &&
    one.kind === other.kind &&
    one.detail === other.detail &&
    one.decision === other.decision &&
    one.policy === other.policy &&
    one.actorStart === other.actorStart &&
    one.registration === other.registration
  );
}
