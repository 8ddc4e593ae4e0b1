import { isIgnored } from "@svc/kernel";
import type { SignalSource } from "../signal-source.ts";

const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGQUIT: 3 } as const;

/**
 * The kernel's signals for a write to a pipe without a reader, or beyond RLIMIT_FSIZE; the write
 * fails as well. To end by them would lose the keys because of a line of progress: `svc … | tee`,
 * and Ctrl-C has ended tee.
 */
const ofWrites = ["SIGPIPE", "SIGXFSZ"] as const;

/** A signal has asked the command to end. */
export class StopError extends Error {
  override readonly name = "StopError";
  /** As a shell shows it: 128 and the signal's number. */
  readonly exitCode: number;

  constructor(signal: keyof typeof numbers) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + numbers[signal];
  }
}

/**
 * Ends the command at SIGINT, SIGTERM, SIGHUP and SIGQUIT. While code defers them, they wait until
 * it has finished.
 */
export class StopSignals {
  readonly #stopped = Promise.withResolvers<never>();
  readonly #whenDeferred: () => void;
  #deferrals = 0;
  #waiting: StopError | undefined;

  /** `whenDeferred` is called if a signal has come and has to wait. */
  constructor(whenDeferred: () => void, source: SignalSource) {
    this.#whenDeferred = whenDeferred;
    // Possibly no code waits for it.
    this.#stopped.promise.catch(() => undefined);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) {
      // If the parent started us with it ignored, as nohup(1) does, it stays ignored.
      if (isIgnored(numbers[signal])) continue;
      source.on(signal, () => this.#arrived(new StopError(signal)));
    }
    // Caught and not ignored, because an ignored signal stays ignored in the log-in programs of a
    // kubeconfig.
    for (const signal of ofWrites) source.on(signal, () => undefined);
  }

  /**
   * Runs something until it ends or a signal does.
   * @throws StopError
   */
  until<T>(act: Promise<T>): Promise<T> {
    return Promise.race([act, this.#stopped.promise]);
  }

  /** Defers the signals until the returned object is disposed of. */
  defer(): Disposable {
    this.#deferrals += 1;
    return { [Symbol.dispose]: () => this.#release() };
  }

  #arrived(stop: StopError): void {
    if (this.#deferrals === 0) {
      this.#stopped.reject(stop);
      return;
    }
    this.#waiting ??= stop;
    this.#whenDeferred();
  }

  #release(): void {
    this.#deferrals -= 1;
    if (this.#deferrals === 0 && this.#waiting !== undefined) this.#stopped.reject(this.#waiting);
  }
}
