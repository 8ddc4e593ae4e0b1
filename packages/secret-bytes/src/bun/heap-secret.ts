import type { JsonProblem, SecretBytes, SecretJson } from "../secret-bytes.ts";
import { parseExactJson } from "./exact-json.ts";
import { HeapJson } from "./heap-json.ts";
import { hasRepeatedKey } from "./repeated-key.ts";

const MASK = "[secret]";
const LF = 0x0a;
const CR = 0x0d;
/** Shorter ones occur in any text by chance. */
const LEAST_MASKED_BYTES = 4;

let bytesIn: (secret: HeapSecret) => Uint8Array;

/** A secret in this process's heap. It prints as `[secret]` however it is logged or inspected. */
export class HeapSecret implements SecretBytes {
  readonly #bytes: Uint8Array;

  /** Takes the bytes over: their former owner must not write to them. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  includes(byte: number): boolean {
    return this.#bytes.includes(byte);
  }

  startsWith(text: string): boolean {
    const prefix = new TextEncoder().encode(text);
    return prefix.every((byte, index) => this.#bytes[index] === byte);
  }

  equals(text: string): boolean {
    return Buffer.byteLength(text) === this.length && this.startsWith(text);
  }

  isUtf8(): boolean {
    return this.#text() !== undefined;
  }

  trimmed(): SecretBytes {
    const text = this.#text();
    return text === undefined ? this : secretOfText(text.trim());
  }

  withoutLineEnd(): SecretBytes {
    const ends = this.#bytes.at(-1) !== LF ? 0 : this.#bytes.at(-2) === CR ? 2 : 1;
    return new HeapSecret(this.#bytes.slice(0, this.length - ends));
  }

  firstInvisible(): number {
    return this.#bytes.findIndex((byte) => byte < 0x21 || byte > 0x7e);
  }

  writeTo(target: Uint8Array): number {
    const { length } = this;
    if (target.length < length) {
      throw new RangeError(`write secret: need ${length} bytes, have ${target.length} bytes`);
    }
    target.set(this.#bytes);
    return length;
  }

  parseJson(): SecretJson | JsonProblem {
    const text = this.#text();
    const value = text === undefined ? undefined : parseExactJson(text);
    if (text === undefined || value === undefined) return "not JSON";
    return hasRepeatedKey(text) ? "repeated key" : new HeapJson(value, secretOfText);
  }

  open(masked: readonly SecretBytes[]): string | undefined {
    let text = this.#text();
    // Longer ones first: the rest of one that begins like another would still tell much.
    for (const secret of masked.toSorted((a, b) => b.length - a.length)) {
      const hidden = secret.length < LEAST_MASKED_BYTES ? undefined : secret.open([]);
      if (hidden !== undefined) text = text?.replaceAll(hidden, MASK);
    }
    return text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return MASK;
  }

  #text(): string | undefined {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#bytes);
    } catch {
      return undefined;
    }
  }

  static {
    bytesIn = (secret) => secret.#bytes;
  }
}

/** The bytes themselves, for computations. Not exported from the package. */
export function bytesOf(secret: SecretBytes): Uint8Array {
  if (!(secret instanceof HeapSecret)) throw new TypeError("a secret of another backend");
  return bytesIn(secret);
}

function secretOfText(text: string): SecretBytes {
  return new HeapSecret(new TextEncoder().encode(text));
}
