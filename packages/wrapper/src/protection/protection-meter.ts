import type { Logger } from "../log.ts";
import type { AgentFinding, MeasuredFacts } from "./protection-facts.ts";
import { describeMissing, missingOf, type ProtectionScore, scoreOf } from "./protection-score.ts";

/** The facts that may change while the program runs. */
export interface PresentFacts {
  /** The agent's protection of the program. */
  readonly agent: AgentFinding;
  /** How many programs that it has started have plain values. */
  readonly unprotected: number;
}

/** Keeps the score of the program that was measured last, and says how it changes. */
export class ProtectionMeter {
  readonly #log: Logger;
  readonly #measured: MeasuredFacts;
  readonly #now: () => PresentFacts;
  #said: Said | undefined;

  /**
   * @param now the facts that may change while the program runs, asked for every score
   * @param before the meter of the previous program; an equal score is not logged again
   */
  constructor(
    log: Logger,
    measured: MeasuredFacts,
    now: () => PresentFacts,
    before?: ProtectionMeter,
  ) {
    this.#log = log;
    this.#measured = measured;
    this.#now = now;
    this.#said = before === undefined ? undefined : before.#said;
  }

  get result(): ProtectionScore {
    const { agent, unprotected } = this.#now();
    const { environ } = this.#measured;
    const started = { kind: "started programs", programs: unprotected } as const;
    const isWorse = unprotected > 0 && environ.kind !== "values";
    return scoreOf({ ...this.#measured, environ: isWorse ? started : environ, agent });
  }

  /** Says the score, unless it is the one that was said last; a lower one with a warning. */
  say(): void {
    const { result } = this;
    const { score } = result;
    const names = missingOf(result).map(({ protection }) => protection);
    const said = { score, missing: names.join(" ") };
    const last = this.#said;
    if (last?.score === score && last.missing === said.missing) return;
    this.#said = said;
    const level = last !== undefined && score < last.score ? "warn" : "info";
    const missing = names.length === 0 ? {} : { missing: said.missing };
    this.#log[level](`protection score ${score} of 100`, { score, ...missing });
    if (names.length > 0) {
      this.#log.debug("missing points of the score", { details: describeMissing(result) });
    }
  }
}

interface Said {
  readonly score: number;
  /** Names of protections. */
  readonly missing: string;
}
