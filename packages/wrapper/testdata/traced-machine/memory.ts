/** A process touches an address at which nothing is mapped. */
export class Fault extends Error {
  override readonly name = "Fault";
}

/** A mapping of a process; several processes may share its bytes. */
export interface Segment {
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly isShared: boolean;
  /** The file that it maps from its start; proc_pid_maps(5). */
  readonly path?: string;
  /** Set by mlock(2) and madvise(2). */
  isLocked?: boolean;
  isOutOfDumps?: boolean;
}

const WORD_BYTES = 8;
const decoder = new TextDecoder();

/** The memory of a process. */
export class Memory {
  readonly segments: Segment[] = [];

  map(segment: Segment): void {
    this.segments.push(segment);
  }

  /** False if nothing begins there. */
  unmap(start: number): boolean {
    const index = this.segments.findIndex((segment) => segment.start === start);
    if (index >= 0) this.segments.splice(index, 1);
    return index >= 0;
  }

  at(start: number): Segment | undefined {
    return this.segments.find((segment) => segment.start === start);
  }

  /** @throws Fault */
  read(address: number, length: number): Uint8Array {
    return this.#view(address, length).slice();
  }

  /** @throws Fault */
  write(address: number, bytes: Uint8Array): void {
    this.#view(address, bytes.length).set(bytes);
  }

  /** As many bytes as are mapped there. */
  readUpTo(address: number, length: number): Uint8Array {
    const segment = this.#holding(address);
    if (segment === undefined) return new Uint8Array(0);
    const rest = segment.start + segment.bytes.length - address;
    return this.read(address, Math.min(length, rest));
  }

  word(address: number): bigint {
    const { buffer, byteOffset } = this.#view(address, WORD_BYTES);
    return new DataView(buffer, byteOffset).getBigUint64(0, true);
  }

  setWord(address: number, word: bigint): void {
    this.write(address, new Uint8Array(BigUint64Array.of(word).buffer));
  }

  setWords(address: number, words: readonly number[]): void {
    for (const [index, word] of words.entries()) {
      this.setWord(address + WORD_BYTES * index, BigInt(word));
    }
  }

  /** The text at an address, to its NUL. */
  text(address: number): string {
    const segment = this.#holding(address);
    const rest = segment?.bytes.subarray(address - segment.start) ?? new Uint8Array(0);
    const end = rest.indexOf(0);
    if (end < 0) throw new Fault(`no text is at ${address.toString(16)}`);
    return decoder.decode(rest.subarray(0, end));
  }

  /** The words at an address, to the zero that ends them. */
  pointers(address: number): readonly number[] {
    const found: number[] = [];
    for (let at = address; ; at += WORD_BYTES) {
      const pointer = Number(this.word(at));
      if (pointer === 0) return found;
      found.push(pointer);
    }
  }

  /** As fork(2) gives it to a child. */
  copy(): Memory {
    const copy = new Memory();
    for (const segment of this.segments) {
      copy.map(segment.isShared ? segment : { ...segment, bytes: segment.bytes.slice() });
    }
    return copy;
  }

  #holding(address: number): Segment | undefined {
    return this.segments.find(
      ({ start, bytes }) => start <= address && address < start + bytes.length,
    );
  }

  #view(address: number, length: number): Uint8Array {
    const segment = this.#holding(address);
    const at = address - (segment?.start ?? 0);
    if (segment === undefined || at + length > segment.bytes.length) {
      throw new Fault(`nothing is mapped at ${address.toString(16)}`);
    }
    return segment.bytes.subarray(at, at + length);
  }
}
