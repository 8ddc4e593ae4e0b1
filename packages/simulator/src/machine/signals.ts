/** Numbers of signals; signal(7). */
export const signals = {
  SIGHUP: 1,
  SIGKILL: 9,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGTERM: 15,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGWINCH: 28,
} as const;

/** A signal that has been sent. */
export interface Signal {
  readonly number: number;
  readonly from: "kernel" | "process" | "outside";
  /** Its value of sigqueue(3). */
  readonly value?: bigint;
}

/** From this one on signals of one number queue; signal(7). */
const FIRST_REAL_TIME = 34;

/** The result of a signal that nothing handles; signal(7). */
export function defaultAction(number: number): "ends" | "stops" | "continues" | "nothing" {
  switch (number) {
    case signals.SIGCHLD:
    case signals.SIGURG:
    case signals.SIGWINCH:
      return "nothing";
    case signals.SIGCONT:
      return "continues";
    case signals.SIGSTOP:
    case signals.SIGTSTP:
    case signals.SIGTTIN:
    case signals.SIGTTOU:
      return "stops";
    default:
      return "ends";
  }
}

/** Signals that wait for a process which blocks them. */
export class PendingSignals {
  readonly #signals: Signal[] = [];

  /** A standard signal that waits already is not kept twice. */
  add(signal: Signal): void {
    const { number } = signal;
    if (number < FIRST_REAL_TIME && this.has((one) => one.number === number)) return;
    this.#signals.push(signal);
  }

  has(wanted: (signal: Signal) => boolean): boolean {
    return this.#signals.some(wanted);
  }

  /** Ignoring a signal, a stop or a SIGCONT discards pending ones; signal(7). */
  forget(isForgotten: (number: number) => boolean): void {
    const kept = this.#signals.filter(({ number }) => !isForgotten(number));
    this.#signals.splice(0, this.#signals.length, ...kept);
  }

  /** Takes the next one, in the order of signal(7): standard ones first, low numbers first. */
  take(wanted: (signal: Signal) => boolean): Signal | undefined {
    const found = this.#signals.filter(wanted).sort((one, other) => one.number - other.number)[0];
    if (found !== undefined) this.#signals.splice(this.#signals.indexOf(found), 1);
    return found;
  }

  /** As `take`, but in turn: the one with the next number after another, or the lowest. */
  takeAfter(number: number): Signal | undefined {
    const isBehind = (signal: Signal) => signal.number > number;
    return this.take(this.has(isBehind) ? isBehind : () => true);
  }
}
