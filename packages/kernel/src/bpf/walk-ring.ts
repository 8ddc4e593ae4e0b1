// Bits of the word before each record; BPF_RINGBUF_BUSY_BIT and BPF_RINGBUF_DISCARD_BIT of
// linux/bpf.h.
const BUSY = 0x8000_0000;
const DISCARDED = 0x4000_0000;
const LENGTH = 0x3fff_ffff;
const HEADER_BYTES = 8;

const fence = new Int32Array(1);

/** A ring buffer as the kernel lays it out; Documentation/bpf/ringbuf.rst. */
export interface RingMemory {
  /** How far we have read, in bytes since the beginning: one number, which the kernel reads. */
  readonly consumer: BigUint64Array;
  /** How far the kernel has written. */
  readonly producer: BigUint64Array;
  /**
   * The records, twice one after the other: one that goes over the end can be read in one piece.
   */
  readonly data: DataView;
  /** The same bytes as `data`. */
  readonly words: Int32Array;
}

/** Takes a record; the bytes are the kernel's again when it returns. */
export type RecordVisitor = (data: DataView, at: number, length: number) => void;

/** How a walk ends. */
export interface WalkOptions {
  /** How many records at most. */
  readonly limit?: number;
  /** Asked after each record: true ends the walk. */
  readonly isEnough?: () => boolean;
  /**
   * Receives the end of the walk. By default the walk gives the room of its records back itself.
   * A full ring does not wait for that: an eighth of it is given back at once.
   */
  readonly onEnd?: (position: number) => void;
}

/**
 * Hands over the records that are complete, oldest first, and gives their room back to the kernel.
 * A record that is still being written ends the walk. One whose visitor throws counts as read.
 *
 * @returns how many were handed over.
 */
export function walkRing(
  memory: RingMemory,
  visit: RecordVisitor,
  options: WalkOptions = {},
): number {
  const { consumer, producer, data, words } = memory;
  const { limit = Infinity, isEnough = () => false, onEnd } = options;
  const size = words.byteLength / 2;
  // Exact below 2^53 bytes, which are two years of a million records a second.
  let position = Number(Atomics.load(consumer, 0));
  let stored = position;
  let count = 0;
  try {
    const end = Number(producer[0]);
    acquire();
    while (position < end && count < limit) {
      const at = position & (size - 1);
      const header = words[at >> 2] ?? BUSY;
      // Nothing of the record may have been read before the bit that says it is complete.
      acquire();
      if (header & BUSY) break;
      const length = header & LENGTH;
      position += (HEADER_BYTES + length + 7) & ~7;
      if (!(header & DISCARDED)) {
        count += 1;
        visit(data, at + HEADER_BYTES, length);
        if (isEnough()) break;
      }
      // Not at every record, which costs; not only at the end, for the kernel may wait for room.
      if (position - stored > size / 8) {
        releaseRing(memory, position);
        stored = position;
      }
    }
  } finally {
    if (onEnd !== undefined) onEnd(position);
    else if (position !== stored) releaseRing(memory, position);
  }
  return count;
}

/** Gives the room of all records before a position back to the kernel. */
export function releaseRing({ consumer }: RingMemory, position: number): void {
  Atomics.store(consumer, 0, BigInt(position));
}

/**
 * Keeps the order of two reads. Atomics.load of the ring itself would do, except for
 * JavaScriptCore, which makes of it an addition of zero in hot code: that writes, and the kernel's
 * pages are read-only.
 */
function acquire(): void {
  Atomics.load(fence, 0);
}
