import { interruptTracee, SyscallError } from "@svc/kernel";

// The kernel opens the file first: from a slow disk that takes its time.
const PATIENCE_MS = 1000;

/**
 * Threads that were seized for one execve. One that fails causes no stop: after a second the thread
 * is made to stop, to be released.
 */
export class ExpectedExecs {
  /** When each was announced. */
  readonly #since = new Map<number, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  has(tid: number): boolean {
    return this.#since.has(tid);
  }

  add(tid: number): void {
    this.#since.set(tid, performance.now());
    this.#timer ??= setTimeout(() => this.#interruptLate(), PATIENCE_MS);
  }

  /** False if it was not expected. */
  delete(tid: number): boolean {
    return this.#since.delete(tid);
  }

  #interruptLate(): void {
    this.#timer = undefined;
    const before = performance.now() - PATIENCE_MS;
    for (const [tid, since] of this.#since) if (since <= before) this.#interrupt(tid);
    if (this.#since.size > 0) this.#timer = setTimeout(() => this.#interruptLate(), PATIENCE_MS);
  }

  #interrupt(tid: number): void {
    try {
      interruptTracee(tid);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      this.#since.delete(tid);
    }
  }
}
