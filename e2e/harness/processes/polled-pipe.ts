import { closeDescriptor, makePipe, readDescriptor, setNonBlocking } from "@svc/kernel";

const INTERVAL_MS = 5;
/** The size of most messages, and of the read that follows a successful one. */
const SIP_BYTES = 4 << 10;
const GULP_BYTES = 64 << 10;

/**
 * The output of a child, read by looking every few milliseconds. The runtime's own streams can stop
 * to hear of it although its writer lives and writes: three times in nine runs of this folder. A
 * look misses nothing.
 */
export interface PolledPipe {
  /** For the child; to be given away once it has been started. */
  readonly writeFd: number;
  /** Closes the writing end here: the child has its own. */
  readonly handOver: () => void;
  /** The output so far. */
  readonly bytes: () => Buffer;
  /** Resolves when everything has been read, or once it was told to stop. */
  readonly ended: Promise<void>;
  /** Looks a last time. */
  readonly stop: () => void;
}

export function polledPipe(): PolledPipe {
  const { readFd, writeFd } = makePipe();
  // Only this end: a child's output must block as usual.
  setNonBlocking(readFd);
  const chunks: Uint8Array[] = [];
  const ended = Promise.withResolvers<void>();
  let isOpen = true;
  const finish = (): void => {
    clearInterval(timer);
    if (isOpen) closeDescriptor(readFd);
    isOpen = false;
    ended.resolve();
  };
  const look = (): void => {
    for (let limit = SIP_BYTES; isOpen; limit = GULP_BYTES) {
      const found = readDescriptor(readFd, limit);
      if (found.kind === "nothing yet") return;
      if (found.kind === "bytes") chunks.push(found.bytes);
      else finish();
    }
  };
  const timer = setInterval(look, INTERVAL_MS);
  return {
    writeFd,
    handOver: () => closeDescriptor(writeFd),
    bytes: () => {
      look();
      return Buffer.concat(chunks);
    },
    ended: ended.promise,
    stop: () => {
      look();
      finish();
    },
  };
}
