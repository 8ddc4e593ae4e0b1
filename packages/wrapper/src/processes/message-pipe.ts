import { closeDescriptor, readDescriptor } from "@svc/kernel";
import { runtime } from "../engine/runtime.ts";
import { type CourierMessage, MessageReader } from "../messages/courier-message.ts";

const READ_BYTES = 16 << 10;

/**
 * The messages of a courier at the reading end of its report pipe, until the other end closes. To
 * be read once, to the end; the descriptor is closed then.
 */
export async function* readMessages(fd: number): AsyncGenerator<CourierMessage> {
  const messages = new MessageReader();
  let news = Promise.withResolvers<void>();
  // Before the first look, because later data is announced.
  const watch = runtime.watchReadable(fd, () => news.resolve());
  try {
    for (;;) {
      const found = readDescriptor(fd, READ_BYTES);
      if (found.kind === "end") return;
      if (found.kind === "bytes") yield* messages.take(found.bytes);
      else {
        await news.promise;
        news = Promise.withResolvers();
      }
    }
  } finally {
    watch[Symbol.dispose]();
    closeDescriptor(fd);
  }
}
