/** A section of an ELF-64 little-endian file; elf(5). */
export interface Section {
  readonly offset: number;
  readonly size: number;
}

/** A segment of the program header table; `position` is where its header stands in the file. */
export interface Segment {
  readonly position: number;
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: bigint;
  readonly fileBytes: number;
  readonly memoryBytes: number;
}

/** Room for code, in the file and where it is loaded. */
export interface CodeSpace {
  readonly position: number;
  readonly address: bigint;
}

/** A relocation with addend, where it stands in the file. */
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
const PF_X = 1;
const CODE_ALIGNMENT = 16;

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

  /** The virtual address of the first loaded byte, where the ELF header is mapped. */
  get loadAddress(): bigint {
    const first = this.segments().find(({ type, offset }) => type === PT_LOAD && offset === 0);
    if (first === undefined) throw new TypeError("no segment maps the ELF header");
    return first.address;
  }

  /** e_entry: the address of the first instruction. */
  get entry(): bigint {
    return this.#view.getBigUint64(24, true);
  }

  set entry(address: bigint) {
    this.#view.setBigUint64(24, address, true);
  }

  /** The program header table. */
  segments(): readonly Segment[] {
    const start = Number(this.#view.getBigUint64(32, true));
    const size = this.#view.getUint16(54, true);
    return Array.from({ length: this.#view.getUint16(56, true) }, (_, index) => {
      const position = start + index * size;
      return {
        position,
        type: this.#view.getUint32(position, true),
        flags: this.#view.getUint32(position + 4, true),
        offset: Number(this.#view.getBigUint64(position + 8, true)),
        address: this.#view.getBigUint64(position + 16, true),
        fileBytes: Number(this.#view.getBigUint64(position + 32, true)),
        memoryBytes: Number(this.#view.getBigUint64(position + 40, true)),
      };
    });
  }

  /** The path of the loader that the kernel starts; execve(2). */
  get interpreter(): string {
    return this.#text(this.#section(".interp").offset);
  }

  /** Names another loader. The path must not be longer than the one that is there. */
  setInterpreter(path: string): void {
    const { offset, size } = this.#section(".interp");
    const bytes = new TextEncoder().encode(path);
    if (bytes.length >= size) throw new RangeError(`no room for the interpreter "${path}"`);
    this.bytes.fill(0, offset, offset + size).set(bytes, offset);
  }

  /**
   * Makes room for code behind that of the executable segment, where linkers leave the rest of the
   * last page empty.
   */
  addCode(length: number): CodeSpace {
    const code = this.segments().find(
      ({ type, flags }) => type === PT_LOAD && (flags & PF_X) !== 0,
    );
    if (code === undefined) throw new TypeError("no segment holds code");
    const end = code.offset + code.fileBytes;
    const position = Math.ceil(end / CODE_ALIGNMENT) * CODE_ALIGNMENT;
    const room = this.bytes.subarray(end, position + length);
    if (room.length < position + length - end || room.some((byte) => byte !== 0)) {
      throw new RangeError(`no room for ${length} bytes of code`);
    }
    const size = BigInt(position + length - code.offset);
    this.#view.setBigUint64(code.position + 32, size, true);
    this.#view.setBigUint64(code.position + 40, size, true);
    return { position, address: code.address + BigInt(position - code.offset) };
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

  /** Makes a relocation write a fixed address, whatever its symbol was. */
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
