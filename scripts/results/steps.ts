/** Writes a line for people. */
export type Say = (line: string) => void;

/** A step that was done before ends within this time. */
const NOTHING_MS = 50;

/** How long a step took. */
interface Ended {
  readonly name: string;
  readonly ms: number;
}

/** A step may say how long it takes, if that is long. */
export interface StepOptions {
  /** On two cores, from empty caches. */
  readonly aboutSeconds?: number;
}

/**
 * The steps of a command that people wait for. Each gives a line with its seconds, and a long one
 * says before how long it takes. Steps may run side by side.
 */
export class Steps {
  /** Writes a line between those of the steps. */
  readonly say: Say;
  readonly #now: () => number;
  readonly #started: number;
  readonly #ended: Ended[] = [];

  /** @param now milliseconds; by default those since the process began. */
  constructor(say: Say, now = () => performance.now()) {
    this.say = say;
    this.#now = now;
    this.#started = now();
  }

  /** Does a step, and gives its result. One that fails, or has nothing to do, gives no line. */
  async run<T>(name: string, work: () => T | Promise<T>, options: StepOptions = {}): Promise<T> {
    const { aboutSeconds } = options;
    if (aboutSeconds !== undefined) {
      this.say(`${name}: this takes up to ${aboutSeconds} s on two cores, once`);
    }
    const started = this.#now();
    const done = await work();
    const ms = this.#now() - started;
    if (ms < NOTHING_MS) return done;
    this.#ended.push({ name, ms });
    this.say(`${name}: ${seconds(ms)}`);
    return done;
  }

  /** The time of all, and of the longest steps. */
  summary(): string {
    const longest = this.#ended.toSorted((one, other) => other.ms - one.ms).slice(0, 3);
    const parts = longest.map(({ name, ms }) => `${name} ${seconds(ms)}`);
    return [seconds(this.#now() - this.#started), ...parts].join(", ");
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
