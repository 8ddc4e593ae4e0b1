import { KernelError } from "./errors.ts";

const PAGE = 4096;
/** Above every address that a C library would take for an error. */
const FIRST_ADDRESS = 0x1000_0000;

interface Range {
  readonly address: number;
  readonly bytes: Uint8Array;
  /** A child of fork(2) has the same bytes, and not a copy. */
  readonly isShared?: boolean;
}

/** The addresses of one process. A range is a view of bytes of the script, or of a file. */
export class Memory {
  #next = FIRST_ADDRESS;
  /** Mappings and the initial stack. */
  readonly #lasting = new Map<number, Range>();
  /** Arrays of the script, whose addresses hold until it waits. */
  #arrays = new Map<ArrayBufferLike, Range>();

  /** The memory of a child of fork(2). */
  copy(): Memory {
    const child = new Memory();
    child.#next = this.#next;
    for (const [address, { bytes, isShared = false }] of this.#lasting) {
      child.#lasting.set(address, { address, bytes: isShared ? bytes : bytes.slice(), isShared });
    }
    return child;
  }

  /** Maps bytes, until `unmap`. */
  map(bytes: Uint8Array, isShared: boolean): number {
    const address = this.#take(bytes.length);
    this.#lasting.set(address, { address, bytes, isShared });
    return address;
  }

  /** The bytes of all mappings, and of the initial stack. */
  get mapped(): readonly Uint8Array[] {
    return [...this.#lasting.values()].map(({ bytes }) => bytes);
  }

  /** The number of mappings that others see, too. */
  get sharedRanges(): number {
    return [...this.#lasting.values()].filter(({ isShared }) => isShared).length;
  }

  unmap(address: number): void {
    this.#lasting.delete(address);
  }

  /** The address of an array, until `forgetArrays`. */
  addressOf(array: ArrayBufferView): number {
    const known = this.#arrays.get(array.buffer);
    const range = known ?? this.#adopt(array.buffer);
    return range.address + array.byteOffset;
  }

  /** To be called when the script waits. */
  forgetArrays(): void {
    if (this.#arrays.size > 0) this.#arrays = new Map();
  }

  /** A view of memory. */
  view(address: number, length: number): Uint8Array {
    const range = this.#rangeAt(address);
    const at = address - range.address;
    if (at + length > range.bytes.length) throw new KernelError("EFAULT");
    return range.bytes.subarray(at, at + length);
  }

  /** A C string, without its zero byte. */
  string(address: number): Uint8Array {
    const range = this.#rangeAt(address);
    const at = address - range.address;
    const end = range.bytes.indexOf(0, at);
    return range.bytes.subarray(at, end < 0 ? range.bytes.length : end);
  }

  #rangeAt(address: number): Range {
    for (const ranges of [this.#arrays.values(), this.#lasting.values()]) {
      for (const range of ranges) {
        if (address >= range.address && address <= range.address + range.bytes.length) return range;
      }
    }
    throw new KernelError("EFAULT");
  }

  #adopt(buffer: ArrayBufferLike): Range {
    const bytes = new Uint8Array(buffer);
    const range = { address: this.#take(bytes.length), bytes };
    this.#arrays.set(buffer, range);
    return range;
  }

  /** Ranges never touch: a read past one is found. */
  #take(length: number): number {
    const address = this.#next;
    this.#next += Math.ceil((length + 1) / PAGE) * PAGE + PAGE;
    return address;
  }
}
