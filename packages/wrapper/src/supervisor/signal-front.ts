import { signalName } from "@svc/kernel";
import type { Logger } from "../log.ts";
import type { SignalSource } from "../runtime.ts";
import type { Ending } from "./children.ts";

const SIGTERM = 15;
/** What would end a process that has no handler for it, and is no fault: signal(7). */
const endsByDefault: ReadonlySet<number> = new Set([
  1, 2, 3, 10, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30,
]);

/** Who gets a signal. */
export interface SignalTarget {
  forward(signal: number): void;
  readonly ended: Promise<Ending>;
}

export interface SignalFrontOptions {
  readonly signals: SignalSource;
  readonly log: Pick<Logger, "debug">;
  /** Called for a signal that would end a program while none runs. */
  readonly onEnd: (signal: number) => void;
  /** The monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
}

/** Stands before whatever the wrapper runs at the moment and hands it the signals that arrive. */
export class SignalFront {
  readonly #options: SignalFrontOptions;
  readonly #nowMs: () => number;
  #target: SignalTarget | undefined;
  #stoppingSinceMs: number | undefined;

  constructor(options: SignalFrontOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Lets signals through, which have waited since the wrapper's first statement. */
  start(onChild: () => void): void {
    const { signals } = this.#options;
    signals.open((signal) => this.#forward(signal));
    signals.onChild(onChild);
    // A child that ended before the handler stood has sent its signal already.
    onChild();
  }

  /** True once somebody has asked for the end: nothing is started again. */
  get stopping(): boolean {
    return this.#stoppingSinceMs !== undefined;
  }

  /** How long ago that was; 0 where it was not asked for. */
  get stoppingForMs(): number {
    return this.#stoppingSinceMs === undefined ? 0 : this.#nowMs() - this.#stoppingSinceMs;
  }

  /** What runs at the moment. */
  get target(): SignalTarget | undefined {
    return this.#target;
  }

  stands(target: SignalTarget | undefined): void {
    this.#target = target;
  }

  #forward(signal: number): void {
    if (signal === SIGTERM) this.#stoppingSinceMs ??= this.#nowMs();
    if (this.#target !== undefined) this.#target.forward(signal);
    else if (endsByDefault.has(signal)) this.#options.onEnd(signal);
    // Logging may wait for a reader: what matters comes before it.
    this.#options.log.debug(`forwarded ${signalName(signal)}`);
  }
}
