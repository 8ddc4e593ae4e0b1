import { SIGTERM, signalName } from "@svc/kernel";
import type { Logger } from "../log.ts";
import type { Ending } from "../program/ending.ts";
import type { SignalSource } from "../runtime.ts";

/** Signals that end a process without a handler, except for faults: signal(7). */
const endsByDefault: ReadonlySet<number> = new Set([
  1, 2, 3, 10, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30,
]);

/** A receiver of signals. */
export interface SignalTarget {
  forward(signal: number, value?: bigint): void;
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

/** Hands signals to the courier or program that runs at the moment. */
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
    signals.open((signal, value) => this.#forward(signal, value));
    signals.onChild(onChild);
    // A child that ended before the handler stood has sent its signal already.
    onChild();
  }

  /** True after SIGTERM: the wrapper starts nothing again. */
  get stopping(): boolean {
    return this.#stoppingSinceMs !== undefined;
  }

  /** How long ago that was; 0 before it. */
  get stoppingForMs(): number {
    return this.#stoppingSinceMs === undefined ? 0 : this.#nowMs() - this.#stoppingSinceMs;
  }

  /** The courier or program that runs at the moment. */
  get target(): SignalTarget | undefined {
    return this.#target;
  }

  stands(target: SignalTarget | undefined): void {
    this.#target = target;
  }

  #forward(signal: number, value?: bigint): void {
    if (signal === SIGTERM) this.#stoppingSinceMs ??= this.#nowMs();
    if (this.#target !== undefined) this.#target.forward(signal, value);
    else if (endsByDefault.has(signal)) this.#options.onEnd(signal);
    // A log line may have to wait for its reader, so it comes last.
    this.#options.log.debug(`forwarded ${signalName(signal)}`);
  }
}
