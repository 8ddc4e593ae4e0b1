import { openChildSignals, SyscallError, type TraceeStop, waitForStopSoon } from "@svc/kernel";

// A few times the duration of each step of an execve.
const SOON_MS = 2;

export interface OneGoOptions {
  /** Hears of SIGCHLD. */
  readonly signals: number;
  /** The listener of the filter. */
  readonly listener: number;
  readonly isTraced: (tid: number) => boolean;
  /** Whether the thread runs the preparing code, and its tracer waits for the end. */
  readonly isPreparing: (tid: number) => boolean;
  /** Whether the code is to ask for the region's descriptor. */
  readonly asks: (tid: number) => boolean;
  /** Answers one request if it comes in time. */
  readonly takeRequest: (limitMs: number) => void;
  readonly onStop: (stop: TraceeStop) => void;
  /** Looks at all children. */
  readonly reap: () => void;
}

/**
 * Prepares a program in one go, without the event loop in between, as long as each step comes soon.
 * The event loop takes every other step.
 */
export class OneGo {
  readonly #options: OneGoOptions;
  #runs = false;
  /** True if a SIGCHLD was taken that may be about another child. */
  #tookSignal = false;

  constructor(options: OneGoOptions) {
    this.#options = options;
  }

  /** @param tid a thread that goes on with its execve. */
  run(tid: number): void {
    const { isTraced, isPreparing, asks, takeRequest, reap } = this.#options;
    if (this.#runs || !isTraced(tid)) return;
    this.#runs = true;
    try {
      if (!this.#takeStop(tid)) return;
      if (asks(tid)) takeRequest(SOON_MS);
      if (isPreparing(tid)) this.#takeStop(tid);
    } finally {
      this.#runs = false;
      if (this.#tookSignal) {
        this.#tookSignal = false;
        reap();
      }
    }
  }

  #takeStop(tid: number): boolean {
    const { signals, listener, onStop } = this.#options;
    const wait = { signals, other: listener, limitMs: SOON_MS };
    const { stop, tookSignal } = waitForStopSoon(tid, wait);
    this.#tookSignal ||= tookSignal;
    if (stop === undefined) return false;
    onStop(stop);
    return true;
  }
}

/** A signalfd for SIGCHLD; undefined if the process has no descriptor left. */
export function childSignalsIfPossible(): number | undefined {
  try {
    return openChildSignals();
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}
