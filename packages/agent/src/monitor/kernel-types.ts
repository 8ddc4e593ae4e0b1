/** A function, by the number by which programs call it, and its parameters. */
export interface KernelFunction {
  readonly number: number;
  readonly parameters: readonly KernelParameter[];
}

export interface KernelParameter {
  /** The place of its name among the names. */
  readonly name: number;
  /** The number of its type. */
  readonly type: number;
}

const MAGIC = 0xeb9f;
const KIND_POINTER = 2;
const KIND_CONST = 10;
const KIND_FUNC = 12;
const KIND_FUNC_PROTO = 13;
/** How many bytes a type has, and how many follow it: once, and for each of its parts. */
const TYPE_BYTES = 12;
const PARAMETER_BYTES = 8;
/** Where a type says which one it refers to. */
const REFERENCE = 8;
const bytesBehind: Readonly<Record<number, number>> = { 1: 4, 3: 12, 14: 4, 17: 4 };
const bytesOfPart: Readonly<Record<number, number>> = { 4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12 };

/**
 * Types as the kernel writes them to /sys/kernel/btf; the BTF format, Documentation/bpf/btf.rst.
 */
export class KernelTypes {
  readonly #view: DataView;
  readonly #names: Buffer;
  /** The kernel's, if these are a module's: numbers and names go on behind them. */
  readonly #kernel: KernelTypes | undefined;
  /** Where each type begins. */
  readonly #places: readonly number[];

  /**
   * @param kernel the kernel's own, if these are a module's.
   * @throws RangeError if the bytes are not types, or end too early.
   */
  constructor(bytes: Uint8Array, kernel?: KernelTypes) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#view.getUint16(0, true) !== MAGIC) throw new RangeError("no types of the kernel");
    const head = this.#word(4);
    const start = head + this.#word(8);
    const end = start + this.#word(12);
    const namesAt = head + this.#word(16);
    const namesEnd = namesAt + this.#word(20);
    if (Math.max(end, namesEnd) > bytes.length) throw new RangeError("types that end too early");
    this.#names = Buffer.from(bytes.buffer, bytes.byteOffset + namesAt, namesEnd - namesAt);
    this.#kernel = kernel;
    this.#places = this.#placesIn(start, end);
  }

  /** Where the names are that end so. */
  namesEndingIn(suffix: string): ReadonlySet<number> {
    const kernel = this.#kernel;
    const found = new Set(kernel?.namesEndingIn(suffix));
    const before = kernel === undefined ? 0 : kernel.#names.length;
    const ending = `${suffix}\0`;
    for (let at = this.#names.indexOf(ending); at >= 0; at = this.#names.indexOf(ending, at + 1)) {
      found.add(before + this.#names.lastIndexOf(0, at) + 1);
    }
    return found;
  }

  /** All functions with a parameter. */
  *functions(): Generator<KernelFunction> {
    for (const [index, place] of this.#places.entries()) {
      if (this.#kind(place) !== KIND_FUNC) continue;
      const parameters = this.#parameters(this.#word(place + REFERENCE));
      if (parameters.length > 0) yield { number: this.#first + index, parameters };
    }
  }

  /** Whether a type is a pointer to constant data. */
  isConstPointer(type: number): boolean {
    const target = this.#referenceOf(type, KIND_POINTER);
    return target !== undefined && this.#referenceOf(target, KIND_CONST) !== undefined;
  }

  /** The type that one of this kind refers to; undefined if it is of another kind. */
  #referenceOf(type: number, kind: number): number | undefined {
    const kernel = this.#kernel;
    if (kernel !== undefined && type < this.#first) return kernel.#referenceOf(type, kind);
    const place = this.#places[type - this.#first];
    if (place === undefined || this.#kind(place) !== kind) return undefined;
    return this.#word(place + REFERENCE);
  }

  #parameters(proto: number): readonly KernelParameter[] {
    const kernel = this.#kernel;
    if (kernel !== undefined && proto < this.#first) return kernel.#parameters(proto);
    const place = this.#places[proto - this.#first];
    if (place === undefined || this.#kind(place) !== KIND_FUNC_PROTO) return [];
    return Array.from({ length: this.#parts(place) }, (_, index) => {
      const part = place + TYPE_BYTES + index * PARAMETER_BYTES;
      return { name: this.#word(part), type: this.#word(part + 4) };
    });
  }

  /** Numbers begin with 1: 0 is void. */
  get #first(): number {
    return this.#kernel === undefined ? 1 : this.#kernel.#places.length + 1;
  }

  #placesIn(start: number, end: number): readonly number[] {
    const places: number[] = [];
    for (let at = start; at < end; ) {
      places.push(at);
      const kind = this.#kind(at);
      at += TYPE_BYTES + (bytesBehind[kind] ?? 0) + this.#parts(at) * (bytesOfPart[kind] ?? 0);
    }
    return places;
  }

  #kind(place: number): number {
    return (this.#word(place + 4) >>> 24) & 31;
  }

  #parts(place: number): number {
    return this.#word(place + 4) & 0xffff;
  }

  #word(at: number): number {
    return this.#view.getUint32(at, true);
  }
}
