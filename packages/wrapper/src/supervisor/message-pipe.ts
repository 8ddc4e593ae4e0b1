import { announceByChildSignal, closeDescriptor, readDescriptor } from "@svc/kernel";
import { type CourierMessage, MessageReader } from "../courier-message.ts";

const READ_BYTES = 16 << 10;
/** How often it is looked at although nothing was announced. */
const BACKUP_MS = 5000;

/**
 * What a courier says at the reading end of its report pipe, until the other end closes. To be read once, to the
 * end; the descriptor is closed then.
 *
 * The pipe is read here and announces itself by SIGCHLD, as a courier's end does: the runtime's own streams
 * can stop to hear of a descriptor that is written to, and a supervisor that waits for a courier's last word waits
 * for ever.
 */
export async function* readMessages(fd: number): AsyncGenerator<CourierMessage> {
  const messages = new MessageReader();
  let news = Promise.withResolvers<void>();
  const onNews = () => news.resolve();
  process.on("SIGCHLD", onNews);
  const timer = setInterval(onNews, BACKUP_MS);
  try {
    // Before the first look: what comes after it is announced.
    announceByChildSignal(fd);
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
    clearInterval(timer);
    process.off("SIGCHLD", onNews);
    closeDescriptor(fd);
  }
}
