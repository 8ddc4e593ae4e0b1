import type { RingMemory } from "../src/bpf/walk-ring.ts";

const BUSY = 0x8000_0000;
const DISCARDED = 0x4000_0000;
const HEADER_BYTES = 8;

/** A ring buffer as the kernel writes it, in ordinary memory: records of a number and bytes that follow from it. */
export class MadeUpRing {
  readonly memory: RingMemory;
  readonly #bytes: Uint8Array;
  readonly #size: number;

  /** @param start the place of both ends at first: a multiple of 8. */
  constructor(size: number, start = 0) {
    this.#size = size;
    this.#bytes = new Uint8Array(2 * size);
    this.memory = {
      consumer: new BigUint64Array([BigInt(start)]),
      producer: new BigUint64Array([BigInt(start)]),
      data: new DataView(this.#bytes.buffer),
      words: new Int32Array(this.#bytes.buffer),
    };
  }

  /** Bytes that the reader has given back. */
  get free(): number {
    return this.#size - Number((this.memory.producer[0] ?? 0n) - (this.memory.consumer[0] ?? 0n));
  }

  hasRoom(length: number): boolean {
    return room(length) <= this.free;
  }

  /** Begins a record, of four bytes at least; returns its place. */
  reserve(id: number, length: number): number {
    if (!this.hasRoom(length)) throw new RangeError("the ring is full");
    const position = Number(this.memory.producer[0]);
    this.#put(position, header(length, BUSY));
    this.#put(position + HEADER_BYTES, content(id, length));
    this.memory.producer[0] = BigInt(position + room(length));
    return position;
  }

  submit(position: number): void {
    this.#put(position, header(this.#length(position), 0));
  }

  discard(position: number): void {
    this.#put(position, header(this.#length(position), DISCARDED));
  }

  write(id: number, length: number): void {
    this.submit(this.reserve(id, length));
  }

  /** True if a record is as it was written. */
  isIntact(id: number, bytes: Uint8Array): boolean {
    return Buffer.from(content(id, bytes.length)).equals(bytes);
  }

  #length(position: number): number {
    return this.memory.data.getUint32(position % this.#size, true) & ~BUSY;
  }

  /** Both halves are the same memory in a real ring. */
  #put(position: number, bytes: Uint8Array): void {
    bytes.forEach((byte, index) => {
      const at = (position + index) % this.#size;
      this.#bytes[at] = byte;
      this.#bytes[at + this.#size] = byte;
    });
  }
}

function room(length: number): number {
  return Math.ceil((HEADER_BYTES + length) / 8) * 8;
}

function header(length: number, bits: number): Uint8Array {
  return new Uint8Array(new Uint32Array([(length | bits) >>> 0]).buffer);
}

function content(id: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length).map((_, index) => id + index);
  new DataView(bytes.buffer).setUint32(0, id, true);
  return bytes;
}
