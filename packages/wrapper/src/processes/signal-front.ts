import { SIGTERM } from "@svc/kernel";
import { signalName } from "@svc/settings";
import type { PastSignal } from "../life/life.ts";
import type { Logger } from "../log.ts";
import type { Ending } from "../program/ending.ts";
import { endsByDefault } from "../program/ends-by-default.ts";
import type { ArrivedSignal, SignalSource } from "../runtime.ts";

/** A receiver of signals. */
export interface SignalTarget {
  forward(signal: number, value?: bigint): void;
  readonly ended: Promise<Ending>;
}

export interface SignalFrontOptions {
  readonly signals: SignalSource;
  readonly log: Pick<Logger, "debug">;
  /** The signal that asks the program to end. */
  readonly stopSignal: number;
  /** Called for a signal that would end a program while none runs. */
  readonly onEnd: (signal: number) => void;
  /** The monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Hands signals to the courier or program that runs at the moment. SIGTERM asks the wrapper to end
 * and reaches the program as the signal that asks it to end.
 */
export class SignalFront {
  readonly #options: SignalFrontOptions;
  readonly #nowMs: () => number;
  #target: SignalTarget | undefined;
  #stoppingSinceMs: number | undefined;
  #outside: { readonly signal: number; readonly atMs: number } | undefined;

  constructor(options: SignalFrontOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Lets signals through, which have waited since the wrapper's first statement. */
  start(onChild: () => void): void {
    const { signals } = this.#options;
    signals.open((arrived) => this.#forward(arrived));
    signals.onChild(onChild);
    // A child that ended before the handler stood has sent its signal already.
    onChild();
  }

  /** True after SIGTERM or the stop signal: the wrapper starts nothing again. */
  get stopping(): boolean {
    return this.#stoppingSinceMs !== undefined;
  }

  /** How long ago that was; 0 before it. */
  get stoppingForMs(): number {
    return this.#stoppingSinceMs === undefined ? 0 : this.#nowMs() - this.#stoppingSinceMs;
  }

  /** The last signal from outside of the PID namespace: that of a container's runtime. */
  get fromOutside(): PastSignal | undefined {
    if (this.#outside === undefined) return undefined;
    const { signal, atMs } = this.#outside;
    return { signal, agoMs: this.#nowMs() - atMs };
  }

  /** The courier or program that runs at the moment. */
  get target(): SignalTarget | undefined {
    return this.#target;
  }

  stands(target: SignalTarget | undefined): void {
    this.#target = target;
  }

  #forward({ signal, from, value }: ArrivedSignal): void {
    const { stopSignal, onEnd, log } = this.#options;
    const isStop = signal === SIGTERM || signal === stopSignal;
    if (isStop) this.#stoppingSinceMs ??= this.#nowMs();
    if (from === "outside") this.#outside = { signal, atMs: this.#nowMs() };
    const handed = isStop ? stopSignal : signal;
    if (this.#target !== undefined) this.#target.forward(handed, value);
    else if (isStop || endsByDefault(signal)) onEnd(signal);
    // A log line may have to wait for its reader, so it comes last.
    const as = handed === signal ? "" : ` as ${signalName(handed)}`;
    log.debug(`forwarded ${signalName(signal)}${as}`);
  }
}
