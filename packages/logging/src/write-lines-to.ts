import { type LineQueue, lineQueue } from "./line-queue.ts";

/** Lines to a standard stream of this process. Whoever reads it may go away: then they are lost, and nobody is told. */
export function writeLinesTo(file: { readonly writer: () => Bun.FileSink }): LineQueue {
  const out = file.writer();
  return lineQueue(async (text) => {
    // Also write() gives a promise where it fails at once; one that nobody waits for ends the process.
    await out.write(text);
    await out.flush();
  });
}
