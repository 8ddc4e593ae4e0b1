import { constants } from "node:os";
import { SignalPipe } from "@svc/kernel";

/** Cannot be caught, or are the supervisor's own affair: its children, and noise of runtimes. */
const kept = new Set(["SIGKILL", "SIGSTOP", "SIGCHLD", "SIGURG", "SIGSTKFLT", "SIGPWR"]);

/** Hands every signal that can be caught and has a name to `forward`, by number. */
export function forwardSignals(forward: (signal: number) => void): void {
  const seen = new Set<number>();
  for (const [name, signal] of Object.entries(constants.signals)) {
    // Bun delivers a signal under the first of its names: SIGABRT and not SIGIOT, SIGIO and not SIGPOLL.
    if (kept.has(name) || seen.has(signal)) continue;
    seen.add(signal);
    process.on(name, () => forward(signal));
  }
}

/** SIGSTKFLT, and the real-time signals that glibc leaves to programs, have no name in JS. */
const nameless = [16, ...Array.from({ length: 31 }, (_, index) => 34 + index)];
/**
 * It has a name, but belongs to JavaScriptCore as well: its collector stops this thread with it. The
 * runtime's handler has to stand before it is caught.
 */
const SIGPWR = 30;

/** The signals that have no name in JS. Their arrival is announced by SIGCHLD. */
export class NamelessSignals {
  readonly #pipe = new SignalPipe();

  /** Catches all but SIGPWR. */
  constructor() {
    for (const signal of nameless) this.#pipe.catch(signal);
  }

  /** To be called once the runtime runs. */
  catchPower(): void {
    this.#pipe.catch(SIGPWR);
  }

  /** To be called on SIGCHLD. */
  handOn(forward: (signal: number) => void): void {
    for (const signal of this.#pipe.read()) forward(signal);
  }
}
