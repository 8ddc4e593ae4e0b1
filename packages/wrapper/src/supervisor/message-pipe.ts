import { closeDescriptor } from "@svc/kernel";
import { type CourierMessage, MessageReader } from "../courier-message.ts";

/** The reading end of a courier's report pipe; it is closed when the messages have been read. */
export class MessagePipe {
  readonly #fd: number;
  #reader: { readonly cancel: () => Promise<void> } | undefined;

  /** @param fd non-blocking */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** What is said until the other end closes. To be read once, to the end. */
  async *messages(): AsyncGenerator<CourierMessage> {
    const messages = new MessageReader();
    const reader = Bun.file(this.#fd).stream().getReader();
    this.#reader = reader;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || value === undefined) return;
        yield* messages.take(value);
      }
    } finally {
      closeDescriptor(this.#fd);
    }
  }

  /** Ends the messages although the other end is open, as far as the runtime knows. */
  hangUp(): void {
    void this.#reader?.cancel();
  }
}
