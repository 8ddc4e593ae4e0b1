/** Longest head of a request, with its last empty line. */
export const MAX_HEAD_BYTES = 8 << 10;
/** Longest body of a request. */
export const MAX_BODY_BYTES = 8 << 10;
/** What a request may take in all. */
export const REQUEST_BYTES = MAX_HEAD_BYTES + MAX_BODY_BYTES;

/**
 * Buffers for requests that come in, used again and again: in a flood of connections a buffer for each
 * would grow the heap faster than it is collected.
 */
export class RequestBuffers {
  #free: Uint8Array[] = [];

  /** A buffer of REQUEST_BYTES, all zero. */
  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(REQUEST_BYTES);
  }

  /** Wipes a buffer and keeps it for the next request. */
  giveBack(buffer: Uint8Array): void {
    buffer.fill(0);
    this.#free.push(buffer);
  }

  /** Lets go of what nobody uses but one buffer, for the next probe. */
  release(): void {
    this.#free = this.#free.slice(0, 1);
  }
}
