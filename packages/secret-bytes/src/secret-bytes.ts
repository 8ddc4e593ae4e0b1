/**
 * Bytes of a secret that the program can judge and pass on without reading them. Immutable.
 *
 * On Bun they lie in the heap and print as `[secret]`. On the engine they lie in locked memory of
 * the host, and the script holds a handle. Only `open` brings them into the script's heap as text.
 */
export interface SecretBytes {
  /** Number of bytes. */
  readonly length: number;
  /** Whether a byte occurs. */
  includes(byte: number): boolean;
  /** Whether they begin with the UTF-8 of a text. */
  startsWith(text: string): boolean;
  /** Whether they are the UTF-8 of a text. */
  equals(text: string): boolean;
  /** Whether they are UTF-8; RFC 3629. A byte order mark is a character like any other. */
  isUtf8(): boolean;
  /**
   * Without the white space at both ends, as String.prototype.trim has it. Bytes that are not
   * UTF-8 stay as they are.
   */
  trimmed(): SecretBytes;
  /** Without one `\n` or `\r\n` at the end; all else stays, to the byte. */
  withoutLineEnd(): SecretBytes;
  /** The index of the first byte outside of 0x21 to 0x7e; -1 for none. */
  firstInvisible(): number;
  /**
   * Copies all of them to the start of `target`. Returns their length.
   * @throws RangeError if `target` is shorter
   */
  writeTo(target: Uint8Array): number;
  /** Parses JSON, with numbers to the letter. A name that an object has twice is refused. */
  parseJson(): SecretJson | JsonProblem;
  /**
   * The text, for the program to read: answers with an error message. Undefined if it is not
   * UTF-8.
   *
   * @param masked secrets whose every occurrence becomes `[secret]`, if they have 4 bytes or more
   */
  open(masked: readonly SecretBytes[]): string | undefined;
}

/** Why bytes give no JSON value; RFC 8259, of which section 4 is about keys. */
export type JsonProblem = "not JSON" | "repeated key";

/** A JSON value of which the program knows the shape. Its texts stay closed. */
export interface SecretJson {
  readonly kind: "object" | "array" | "string" | "number" | "boolean" | "null";
  /**
   * The names in an object, else none. In the order of the text; on Bun names that are array
   * indexes come first, as ECMAScript orders the properties of every object.
   */
  keys(): readonly string[];
  /** A member of an object; undefined if it has no such one, or is not an object. */
  member(name: string): SecretJson | undefined;
  /** The items of an array, else none. */
  items(): readonly SecretJson[];
  /** False if a text in it has a lone surrogate, which has no UTF-8. */
  isWellFormed(): boolean;
  /** As it is delivered: a string's text; anything else as JSON without white space. */
  bytes(): SecretBytes;
  /** The same as a text, for the program to read. */
  open(): string;
}

/** How secrets come to be; each runtime has its own. */
export interface SecretBackend {
  /** Copies bytes, of a mapping for example. */
  secretBytesFrom(bytes: Uint8Array): SecretBytes;
  /**
   * Reads a whole file, or a pipe to its end.
   * @throws SyscallError as `readWholeFile` of @svc/kernel; `EFBIG` if it is longer than `limit`
   */
  readSecretFile(path: string, limit: number): SecretBytes;
  /**
   * Reads a pipe or a socket to its end.
   * @throws SyscallError `EFBIG` if there are more than `limit` bytes, `ETIMEDOUT` if the
   * peer is
   * silent for ten seconds
   */
  readSecretDescriptor(fd: number, limit: number): SecretBytes;
  /** HMAC-SHA256 over texts and secrets, one behind the other, in hexadecimal digits; RFC 2104. */
  hmacSha256(key: Uint8Array, parts: readonly (string | SecretBytes)[]): string;
}
