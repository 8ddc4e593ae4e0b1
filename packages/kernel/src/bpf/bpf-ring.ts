import { type Pointer, toArrayBuffer } from "bun:ffi";
import { libc } from "#native";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import type { BpfMap } from "./bpf-map.ts";
import { type RecordVisitor, type RingMemory, walkRing } from "./walk-ring.ts";

const AT_PAGESZ = 6;
const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;

/** The reading end of a ring buffer. There must be one reader of a ring. Close it before its object. */
export class BpfRing {
  /** Readable (epoll) when there are records, unless their writers forgo it. */
  readonly fd: number;
  readonly #memory: RingMemory;
  readonly #mappings: readonly (readonly [address: number, length: number])[];

  /** Maps the ring; mmap(2). */
  constructor(map: BpfMap) {
    const page = Number(libc.getauxval(AT_PAGESZ));
    const size = map.maxEntries;
    this.fd = map.fd;
    // Ours to write is only how far we have read.
    const consumer = mapPart(map.fd, { length: page, access: PROT_READ | PROT_WRITE, offset: 0 });
    const rest = { length: page + 2 * size, access: PROT_READ, offset: page };
    const producer = mapPart(map.fd, rest);
    this.#mappings = [
      [consumer, page],
      [producer, rest.length],
    ];
    const data = viewOf(producer + page, 2 * size);
    this.#memory = {
      consumer: new BigUint64Array(viewOf(consumer, 8)),
      producer: new BigUint64Array(viewOf(producer, 8)),
      data: new DataView(data),
      words: new Int32Array(data),
    };
  }

  /** Hands over what is there, as walkRing does; never waits. */
  drain(visit: RecordVisitor, limit?: number): number {
    return walkRing(this.#memory, visit, limit);
  }

  /** Unmaps it; drain must not be called afterwards. */
  close(): void {
    for (const [address, length] of this.#mappings) {
      checked("munmap", libc.munmap(address, length));
    }
  }
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
