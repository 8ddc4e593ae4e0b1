import { exitProcess, signalName } from "@svc/kernel";
import type { Logger } from "../log.ts";
import type { SignalSource } from "../runtime.ts";
import type { Ending } from "./children.ts";

const SIGTERM = 15;
/** What would end a process that has no handler for it, and is not a fault: signal(7). */
const endsByDefault: ReadonlySet<number> = new Set([
  1, 2, 3, 10, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30,
]);

/** Who gets a signal. */
export interface SignalTarget {
  forward(signal: number): void;
  readonly ended: Promise<Ending>;
}

/** Stands before whatever the wrapper runs at the moment and hands it the signals that arrive. */
export class SignalFront {
  readonly #signals: SignalSource;
  readonly #log: Logger;
  #onEnd: (signal: number) => void = (signal) => exitProcess(128 + signal);
  #target: SignalTarget | undefined;
  #stoppingSinceMs: number | undefined;

  constructor(signals: SignalSource, log: Logger) {
    this.#signals = signals;
    this.#log = log;
  }

  /** What a signal does that would end the wrapper while nothing runs; it exits at once unless told. */
  whenNothingRuns(onEnd: (signal: number) => void): void {
    this.#onEnd = onEnd;
  }

  /** Lets signals through, which have waited since the wrapper's first statement. */
  start(onChild: () => void): void {
    this.#signals.open((signal) => this.#forward(signal));
    this.#signals.onChild(onChild);
    // A child that ended before the handler stood has sent its signal already.
    onChild();
  }

  /** True once somebody has asked for the end: nothing is started again. */
  get stopping(): boolean {
    return this.#stoppingSinceMs !== undefined;
  }

  /** How long ago that was; 0 where it was not asked for. */
  get stoppingForMs(): number {
    return this.#stoppingSinceMs === undefined ? 0 : performance.now() - this.#stoppingSinceMs;
  }

  /** What runs at the moment. */
  get target(): SignalTarget | undefined {
    return this.#target;
  }

  stands(target: SignalTarget | undefined): void {
    this.#target = target;
  }

  #forward(signal: number): void {
    if (signal === SIGTERM) this.#stoppingSinceMs ??= performance.now();
    if (this.#target !== undefined) this.#target.forward(signal);
    else if (endsByDefault.has(signal)) this.#onEnd(signal);
    // Logging may wait for a reader: what matters comes before it.
    this.#log.debug(`forwarded ${signalName(signal)}`);
  }
}
