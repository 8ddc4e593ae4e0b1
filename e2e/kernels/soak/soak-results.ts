/** The results of a guest over many minutes. */
export interface SoakResults {
  readonly release: string;
  /** The seed of the random numbers: another run with it does the same in the same order. */
  readonly seed: number;
  readonly minutes: number;
  /** Why no agent started any more; undefined if the soak has lasted to its end. */
  readonly broken?: string | undefined;
  /** How often each attack was made. */
  readonly attacks: Readonly<Record<string, number>>;
  /** Attacks that went through, or whose bytes left. */
  readonly successes: readonly string[];
  /** Attacks of which no agent has told. */
  readonly misses: readonly string[];
  /**
   * Attacks of the moment before an agent was killed that no agent has reported: it had read them.
   */
  readonly lost: readonly string[];
  /** Records of the agents that belong to no attack. */
  readonly strays: readonly string[];
  /** Ordinary administration: how often each chore was done, and all that went wrong. */
  readonly chores: {
    readonly runs: Readonly<Record<string, number>>;
    readonly faults: readonly string[];
  };
  readonly requests: Readonly<Record<string, WorkloadRequests>>;
  /** How long each new agent took, in milliseconds: as many as have come after the first one. */
  readonly restarts: readonly number[];
  /** How many agents were ended in order; the others were killed. */
  readonly upgrades: number;
  /** Lines of the kernel's log that report a fault. */
  readonly warnings: readonly string[];
}

/** How the work of a program went on. */
export interface WorkloadRequests {
  readonly answered: number;
  readonly failures: readonly string[];
}
