import { decodeUtf8, encodeUtf8 } from "svc:engine";

type Encoding = "base64" | "hex" | "latin1" | "utf8";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Bytes that know encodings. */
export class EncodedBytes extends Uint8Array {
  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, index) => byte === other[index]);
  }

  override toString(encoding: Encoding = "utf8"): string {
    switch (encoding) {
      case "base64":
        return base64(this);
      case "hex":
        return this.toHex();
      case "latin1":
        return Array.from(this, (byte) => String.fromCharCode(byte)).join("");
      case "utf8":
        return decodeUtf8(this, false) ?? "";
    }
  }
}

/** `Buffer` for tests on the engine, as far as they use it. */
export const testBuffer = {
  alloc: (length: number) => new EncodedBytes(length),

  byteLength: (text: string) => encodeUtf8(text).length,

  concat(parts: readonly Uint8Array[]): EncodedBytes {
    const all = new EncodedBytes(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  },

  /** Copies bytes, or encodes a text. */
  from(given: string | ArrayLike<number>, encoding: Encoding = "utf8"): EncodedBytes {
    return new EncodedBytes(typeof given === "string" ? bytesOf(given, encoding) : given);
  },
};

function bytesOf(text: string, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case "base64":
      throw new TypeError("bytes of base64 are asked for by no test");
    case "hex":
      return Uint8Array.fromHex(text);
    case "latin1":
      return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    case "utf8":
      return encodeUtf8(text.toWellFormed());
  }
}

/** RFC 4648 section 4. */
function base64(bytes: Uint8Array): string {
  let digits = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [one = 0, two = 0, three = 0] = bytes.subarray(at, at + 3);
    const word = (one << 16) | (two << 8) | three;
    digits += [18, 12, 6, 0].map((shift) => ALPHABET[(word >> shift) & 63]).join("");
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return digits.slice(0, digits.length - missing) + "=".repeat(missing);
}
