import { decodeUtf8, encodeUtf8 } from "svc:engine";

// Encoding Standard, of which the wrapper uses UTF-8 only.

const BYTE_ORDER_MARK_BYTES = 3;
const nothing = new Uint8Array();

export class TextEncoder {
  readonly encoding = "utf-8";

  encode(text = ""): Uint8Array {
    return encodeUtf8(text.toWellFormed());
  }

  /** Writes as many whole characters as fit. */
  encodeInto(
    text: string,
    target: Uint8Array,
  ): { readonly read: number; readonly written: number } {
    const bytes = this.encode(text);
    if (bytes.length <= target.length) {
      target.set(bytes);
      return { read: text.length, written: bytes.length };
    }
    const end = startOfCharacter(bytes, target.length);
    target.set(bytes.subarray(0, end));
    return { read: decodeUtf8(bytes.subarray(0, end), true)?.length ?? 0, written: end };
  }
}

export interface TextDecoderOptions {
  readonly fatal?: boolean;
  readonly ignoreBOM?: boolean;
}

export class TextDecoder {
  readonly encoding = "utf-8";
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  /** The start of a character whose rest has not come yet. */
  #rest: Uint8Array = nothing;
  #isAtStart = true;

  /** @throws RangeError for another encoding */
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false }: TextDecoderOptions = {}) {
    if (label !== "utf-8" && !/^utf-?8$/i.test(label))
      throw new RangeError(`TextDecoder: no encoding ${label}`);
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }

  /**
   * With `stream` a character at the end that is not complete waits for the next bytes.
   *
   * @throws TypeError if `fatal` is set and the bytes are not UTF-8
   */
  decode(bytes: Uint8Array = nothing, { stream = false } = {}): string {
    const all = this.#rest.length === 0 ? bytes : joined(this.#rest, bytes);
    const end = stream ? endOfCharacters(all) : all.length;
    const skipsMark = this.#isAtStart && !this.ignoreBOM && startsWithMark(all);
    const start = skipsMark ? BYTE_ORDER_MARK_BYTES : 0;
    const isWhole = start === 0 && end === all.length;
    const text = decodeUtf8(isWhole ? all : all.subarray(start, end), this.fatal);
    if (text === undefined) throw new TypeError("the bytes are not UTF-8");
    this.#rest = end === all.length ? nothing : all.slice(end);
    this.#isAtStart = !stream || (this.#isAtStart && end === 0);
    return text;
  }
}

function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/**
 * The offset of the last character if its bytes are not all there; else the end. At most 3 bytes
 * wait.
 */
function endOfCharacters(bytes: Uint8Array): number {
  const last = startOfCharacter(bytes, bytes.length - 1);
  const lead = bytes[last] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return last + length > bytes.length ? last : bytes.length;
}

/** The offset of the character that the byte at `at` belongs to. */
function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = Math.max(at, 0);
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
