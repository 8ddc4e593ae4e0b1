import { VaultError } from "./vault-error.ts";

const MASK = "[secret]";

let revealText: (secret: Secret) => string;

/**
 * A token or JWT that prints as `[secret]` wherever it is logged, serialised or inspected.
 *
 * White space around the text is dropped, because token files end in a newline.
 * @throws VaultError `INVALID_INPUT` when the rest is empty, not UTF-8, or holds anything but
 *   visible ASCII: such a text could end the header line it is sent in (RFC 9110 §5.5).
 */
export class Secret {
  readonly #value: string;

  constructor(source: string | Uint8Array) {
    this.#value = requireVisibleAscii(decode(source).trim());
  }

  /** Number of bytes `writeTo` needs. */
  get byteLength(): number {
    return this.#value.length;
  }

  /**
   * Writes the bytes into memory of the caller's, the only way out of the object.
   * @throws RangeError when `target` is shorter than `byteLength`.
   */
  writeTo(target: Uint8Array): number {
    if (target.length < this.#value.length) {
      throw new RangeError(
        `write secret: need ${this.#value.length} bytes, have ${target.length} bytes`,
      );
    }
    return new TextEncoder().encodeInto(this.#value, target).written;
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

  static {
    revealText = (secret) => secret.#value;
  }
}

/** The plain text, for the request that carries it. Not exported from the package. */
export function reveal(secret: Secret): string {
  return revealText(secret);
}

function decode(source: string | Uint8Array): string {
  if (typeof source === "string") return source;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(source);
  } catch {
    throw new VaultError("INVALID_INPUT", "read token: not UTF-8 text");
  }
}

function requireVisibleAscii(text: string): string {
  if (text === "") throw new VaultError("INVALID_INPUT", "read token: empty");
  const bad = text.search(/[^\x21-\x7e]/);
  if (bad !== -1) {
    throw new VaultError(
      "INVALID_INPUT",
      `read token: character ${bad + 1} of ${text.length} is not visible ASCII`,
    );
  }
  return text;
}
