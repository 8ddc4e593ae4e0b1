import { setTimeout } from "./timers.ts";

// DOM Standard, section 3. The only event that the wrapper listens to is `abort`.

/** Web IDL, section 2.8.1, of which only the name is used. */
export class DOMException extends Error {
  constructor(message = "", name = "Error") {
    super(message);
    this.name = name;
  }
}

type Listener = () => void;

let abort: (signal: AbortSignal, reason: unknown) => void;

export class AbortSignal {
  #aborted = false;
  #reason: unknown;
  readonly #listeners = new Map<Listener, { readonly once: boolean }>();

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  addEventListener(_type: "abort", listener: Listener, options: { once?: boolean } = {}): void {
    this.#listeners.set(listener, { once: options.once ?? false });
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** One that is aborted already: with an AbortError if no reason is given. */
  static abort(reason?: unknown): AbortSignal {
    const signal = new AbortSignal();
    abort(signal, reason);
    return signal;
  }

  /** Aborts after a number of milliseconds, with a TimeoutError. */
  static timeout(ms: number): AbortSignal {
    const signal = new AbortSignal();
    setTimeout(() => abort(signal, new DOMException("the time is up", "TimeoutError")), ms);
    return signal;
  }

  /** Aborts with the first of several. */
  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const any = new AbortSignal();
    for (const signal of signals) {
      const follow = () => abort(any, signal.reason);
      if (signal.aborted) follow();
      else signal.addEventListener("abort", follow, { once: true });
    }
    return any;
  }

  static {
    abort = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason ?? new DOMException("the operation was aborted", "AbortError");
      for (const [listener, { once }] of [...signal.#listeners]) {
        if (once) signal.#listeners.delete(listener);
        listener();
      }
    };
  }
}

export class AbortController {
  readonly signal: AbortSignal = new AbortSignal();

  abort(reason?: unknown): void {
    abort(this.signal, reason);
  }
}
