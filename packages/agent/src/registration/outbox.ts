/** Messages to send, in order; read once, by one reader. */
export class Outbox<T> {
  readonly #waiting: T[] = [];
  readonly #most: number;
  #wake: (() => void) | undefined;
  #isClosed = false;

  /** @param most how many may wait for a slow reader; by default 64 */
  constructor(most = 64) {
    this.#most = most;
  }

  /** False if the reader is that slow, or nothing is sent any more. */
  put(message: T): boolean {
    if (this.#isClosed || this.#waiting.length >= this.#most) return false;
    this.#waiting.push(message);
    this.#wake?.();
    return true;
  }

  /** Waiting messages are still sent. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async *messages(): AsyncGenerator<T> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (this.#isClosed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
