/** A section of an ELF-64 little-endian file; elf(5). */
export interface Section {
  readonly offset: number;
  readonly size: number;
}

/** A segment of the program header table. */
export interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: bigint;
}

/** A relocation with addend, and its place in the file. */
export interface Relocation {
  readonly position: number;
  readonly offset: bigint;
  readonly type: number;
  readonly symbol: number;
}

const HEADER_BYTES = 64;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 24;
const PT_LOAD = 1;

/** The parts of an executable that decide which functions of libc it calls; edits are in place. */
export class ElfFile {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #sections: ReadonlyMap<string, Section>;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isElf = bytes.length >= HEADER_BYTES && this.#view.getUint32(0) === 0x7f454c46;
    if (!isElf || bytes[4] !== 2 || bytes[5] !== 1) {
      throw new TypeError("not an ELF-64 little-endian file");
    }
    this.#sections = this.#readSections();
  }

  /** e_machine: 62 for x86-64, 183 for AArch64. */
  get machine(): number {
    return this.#view.getUint16(18, true);
  }

  /** The virtual address of the first loaded byte, at which the ELF header is mapped. */
  get loadAddress(): bigint {
    const first = this.segments().find(({ type, offset }) => type === PT_LOAD && offset === 0);
    if (first === undefined) throw new TypeError("no segment maps the ELF header");
    return first.address;
  }

  /** The program header table. */
  segments(): readonly Segment[] {
    const start = Number(this.#view.getBigUint64(32, true));
    const size = this.#view.getUint16(54, true);
    return Array.from({ length: this.#view.getUint16(56, true) }, (_, index) => {
      const position = start + index * size;
      return {
        type: this.#view.getUint32(position, true),
        offset: Number(this.#view.getBigUint64(position + 8, true)),
        address: this.#view.getBigUint64(position + 16, true),
      };
    });
  }

  /** The indexes of the dynamic symbols with this name. */
  symbols(name: string): readonly number[] {
    const { offset, size } = this.#section(".dynsym");
    const strings = this.#section(".dynstr").offset;
    return Array.from({ length: size / SYMBOL_BYTES }, (_, index) => index).filter(
      (index) =>
        this.#text(strings + this.#view.getUint32(offset + index * SYMBOL_BYTES, true)) === name,
    );
  }

  /** Gives a dynamic symbol the empty name, which nothing looks for. */
  hideSymbol(index: number): void {
    this.#view.setUint32(this.#section(".dynsym").offset + index * SYMBOL_BYTES, 0, true);
  }

  /** Every dynamic relocation. */
  relocations(): readonly Relocation[] {
    return [".rela.dyn", ".rela.plt"].flatMap((name) => {
      const { offset, size } = this.#section(name);
      return Array.from({ length: size / RELOCATION_BYTES }, (_, index) =>
        this.#relocationAt(offset + index * RELOCATION_BYTES),
      );
    });
  }

  /** Points a relocation at another symbol. */
  setSymbol({ position, type }: Relocation, symbol: number): void {
    this.#view.setBigUint64(position + 8, (BigInt(symbol) << 32n) | BigInt(type), true);
  }

  /** Makes a relocation write a fixed address, for any symbol. */
  setRelative({ position }: Relocation, type: number, value: bigint): void {
    this.#view.setBigUint64(position + 8, BigInt(type), true);
    this.#view.setBigInt64(position + 16, value, true);
  }

  #relocationAt(position: number): Relocation {
    const info = this.#view.getBigUint64(position + 8, true);
    return {
      position,
      offset: this.#view.getBigUint64(position, true),
      type: Number(info & 0xffff_ffffn),
      symbol: Number(info >> 32n),
    };
  }

  #section(name: string): Section {
    const section = this.#sections.get(name);
    if (section === undefined) throw new TypeError(`no section ${name}`);
    return section;
  }

  #readSections(): ReadonlyMap<string, Section> {
    const start = Number(this.#view.getBigUint64(40, true));
    const size = this.#view.getUint16(58, true);
    const headers = Array.from({ length: this.#view.getUint16(60, true) }, (_, index) => {
      const at = start + index * size;
      return {
        name: this.#view.getUint32(at, true),
        offset: Number(this.#view.getBigUint64(at + 24, true)),
        size: Number(this.#view.getBigUint64(at + 32, true)),
      };
    });
    const names = headers[this.#view.getUint16(62, true)]?.offset ?? 0;
    return new Map(headers.map(({ name, ...section }) => [this.#text(names + name), section]));
  }

  #text(start: number): string {
    return new TextDecoder("latin1").decode(
      this.bytes.subarray(start, this.bytes.indexOf(0, start)),
    );
  }
}
