/** Lines on their way out. */
export interface LineQueue {
  readonly put: (line: string) => void;
  /** Lines that were lost because no reader took them. */
  readonly dropped: () => number;
  /**
   * Resolved when all earlier lines are written. Without a reader it is resolved after some
   * milliseconds, by default 1,000.
   */
  readonly flushed: (mostMs?: number) => Promise<void>;
}

/**
 * The limit of waiting lines: the log's reader may stop for a while, and must not stop admissions.
 */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const FLUSH_MS = 1000;

/**
 * Writes lines one after the other, without making its callers wait; those that come together go
 * out together.
 *
 * @param write resolved when the text is out; its errors are lost with its text
 */
export function lineQueue(
  write: (text: string) => Promise<void>,
  most: number = MOST_CHARACTERS,
): LineQueue {
  let waiting: string[] = [];
  let size = 0;
  let dropped = 0;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const text = waiting.join("");
      waiting = [];
      size = 0;
      await write(text).catch(() => undefined);
    }
    running = undefined;
  };
  return {
    put: (line) => {
      if (size + line.length > most) {
        dropped += 1;
        return;
      }
      waiting.push(`${line}\n`);
      size += line.length + 1;
      running ??= Promise.resolve().then(run);
    },
    dropped: () => dropped,
    flushed: async (mostMs = FLUSH_MS) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, mostMs);
      await Promise.race([running, promise]);
      clearTimeout(timer);
    },
  };
}
