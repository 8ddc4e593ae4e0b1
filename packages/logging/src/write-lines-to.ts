import { type LineQueue, lineQueue } from "./line-queue.ts";

/**
 * Lines to a standard stream of this process. Its reader may go away: then they are lost without a
 * message.
 */
export function writeLinesTo(file: { readonly writer: () => Bun.FileSink }): LineQueue {
  const out = file.writer();
  return lineQueue(async (text) => {
    // Also write() gives a promise if it fails at once; an unhandled rejection ends the process.
    await out.write(text);
    await out.flush();
  });
}
