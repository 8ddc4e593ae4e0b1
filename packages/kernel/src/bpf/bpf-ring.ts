import { type Pointer, toArrayBuffer } from "bun:ffi";
import { libc } from "#native";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import type { BpfMap } from "./bpf-map.ts";
import { type RecordVisitor, type RingMemory, releaseRing, walkRing } from "./walk-ring.ts";

const AT_PAGESZ = 6;
const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;

/**
 * The reading end of a ring buffer. There must be one reader of a ring. Close it before its object.
 */
export class BpfRing {
  /** Readable (epoll) when there are records, unless their writers forgo it. */
  readonly fd: number;
  readonly #size: number;
  readonly #page: number;
  /** Ours to write is only how far we have read. */
  readonly #consumer: number;
  #producer: number | undefined;
  #memory: RingMemory | undefined;
  /** The end of the records that were read and not released. */
  #held: number | undefined;

  /** Maps the ring; mmap(2). */
  constructor(map: BpfMap) {
    this.#page = Number(libc.getauxval(AT_PAGESZ));
    this.#size = map.maxEntries;
    this.fd = map.fd;
    const access = PROT_READ | PROT_WRITE;
    this.#consumer = mapPart(map.fd, { length: this.#page, access, offset: 0 });
    this.#memory = this.#map();
  }

  /** Hands over the waiting records, as walkRing does; never waits. */
  drain(visit: RecordVisitor, limit = Infinity): number {
    this.#memory ??= this.#map();
    return walkRing(this.#memory, visit, { limit });
  }

  /**
   * As drain, until the caller has enough. The records stay in the ring until `release`: the next
   * process that reads a pinned ring has them again, if this one is killed before.
   */
  read(visit: RecordVisitor, isEnough: () => boolean): number {
    this.#memory ??= this.#map();
    const onEnd = (position: number) => {
      this.#held = position;
    };
    return walkRing(this.#memory, visit, { isEnough, onEnd });
  }

  /** Gives back the room of the records that were read. */
  release(): void {
    if (this.#held === undefined) return;
    this.#memory ??= this.#map();
    releaseRing(this.#memory, this.#held);
    this.#held = undefined;
  }

  /**
   * Unmaps the records until the next drain. All of a ring's pages count as resident while they are
   * mapped, twice. To map 4 MiB again takes some 0.1 ms.
   */
  rest(): void {
    if (this.#producer === undefined) return;
    this.#memory = undefined;
    unmap(this.#producer, this.#length());
    this.#producer = undefined;
  }

  /** Unmaps it; drain must not be called afterwards. */
  close(): void {
    this.rest();
    unmap(this.#consumer, this.#page);
  }

  #map(): RingMemory {
    const page = this.#page;
    const rest = { length: this.#length(), access: PROT_READ, offset: page };
    const producer = mapPart(this.fd, rest);
    this.#producer = producer;
    const data = viewOf(producer + page, 2 * this.#size);
    return {
      consumer: new BigUint64Array(viewOf(this.#consumer, 8)),
      producer: new BigUint64Array(viewOf(producer, 8)),
      data: new DataView(data),
      words: new Int32Array(data),
    };
  }

  /** The page of the producer, and the records twice: one may go over the end. */
  #length(): number {
    return this.#page + 2 * this.#size;
  }
}

function unmap(address: number, length: number): void {
  checked("munmap", libc.munmap(address, length));
}

interface Part {
  readonly length: number;
  readonly access: number;
  readonly offset: number;
}

function mapPart(fd: number, { length, access, offset }: Part): number {
  const address = libc.mmap(0, length, access, MAP_SHARED, fd, offset);
  if (address < 0) throw new SyscallError("mmap", lastErrno());
  return Number(address);
}

// Only of addresses of mappings that are at least as long.
function viewOf(address: number, length: number): ArrayBuffer {
  return toArrayBuffer(address as Pointer, 0, length);
}
