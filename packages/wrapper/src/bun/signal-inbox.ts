import { blockSignals, signalSet } from "@svc/kernel";
import { forwardSignals, NamelessSignals } from "./forward-signals.ts";

// The runtime's garbage collector stops this thread with it, and waits until it has stopped.
const SIGPWR = 30;
const allButPower = Array.from({ length: 64 }, (_, index) => index + 1).filter(
  (signal) => signal !== SIGPWR,
);

/** Takes signals before anybody can say what becomes of them, and keeps their order. */
export class SignalInbox {
  readonly #waiting: number[] = [];
  readonly #nameless: Pick<NamelessSignals, "catchPower" | "handOn">;
  #take: ((signal: number) => void) | undefined;

  constructor(nameless: Pick<NamelessSignals, "catchPower" | "handOn">) {
    this.#nameless = nameless;
  }

  /** Takes the signals that have no name; to be called on SIGCHLD. */
  readonly takeNameless = (): void => this.#nameless.handOn(this.receive);

  /** Catches SIGPWR, too; to be called once the runtime runs. */
  catchPower(): void {
    this.#nameless.catchPower();
  }

  /** To be called with the number of each signal that arrives. */
  readonly receive = (signal: number): void => {
    if (this.#take === undefined) this.#waiting.push(signal);
    else this.#take(signal);
  };

  /** Hands on what has waited, and from here on everything at once. To be called once. */
  open(take: (signal: number) => void): void {
    this.#take = take;
    for (const signal of this.#waiting.splice(0)) take(signal);
  }
}

/**
 * Catches every signal but SIGPWR from now on, and only then blocks them for this thread.
 *
 * Blocked alone they would not wait: the runtime has a thread from before the first statement that blocks
 * nothing, and a default action there ends the wrapper, or, where it is PID 1, is nothing at all: the signal is
 * lost. Blocked they are because Bun unblocks while it waits for events (epoll_pwait), so handlers run
 * then; while JS runs, a fault of our own still kills us, for a blocked fault cannot reach a handler (signal(7)).
 */
export function takeSignals(): SignalInbox {
  const inbox = new SignalInbox(new NamelessSignals());
  forwardSignals(inbox.receive);
  blockSignals(signalSet(allButPower));
  return inbox;
}
