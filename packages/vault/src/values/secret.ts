import { type SecretBytes, secretBytesFrom } from "@svc/secret-bytes";
import { VaultError } from "../errors/vault-error.ts";

const MASK = "[secret]";

/**
 * A token, JWT or key share that can be sent, and that prints as `[secret]` wherever it is logged,
 * serialised or inspected.
 *
 * White space around it is dropped, because token files end in a newline.
 * @throws VaultError `INVALID_INPUT` when the rest is empty, not UTF-8, or holds other characters
 * than visible ASCII. Such a text could end the header line it is sent in (RFC 9110 §5.5).
 */
export class Secret {
  readonly #bytes: SecretBytes;

  /** A text and an array are copied; `SecretBytes` stay where they are. */
  constructor(source: string | Uint8Array | SecretBytes) {
    this.#bytes = requireVisibleAscii(closed(source));
  }

  /** The value to send. It stays closed. */
  get bytes(): SecretBytes {
    return this.#bytes;
  }

  /** Number of bytes `writeTo` needs. */
  get byteLength(): number {
    return this.#bytes.length;
  }

  /**
   * Writes the bytes into memory of the caller's.
   * @throws RangeError when `target` is shorter than `byteLength`.
   */
  writeTo(target: Uint8Array): number {
    return this.#bytes.writeTo(target);
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
}

function closed(source: string | Uint8Array | SecretBytes): SecretBytes {
  if (typeof source === "string") return secretBytesFrom(new TextEncoder().encode(source));
  return source instanceof Uint8Array ? secretBytesFrom(source) : source;
}

function requireVisibleAscii(source: SecretBytes): SecretBytes {
  if (!source.isUtf8()) throw new VaultError("INVALID_INPUT", "read token: not UTF-8 text");
  const bytes = source.trimmed();
  if (bytes.length === 0) throw new VaultError("INVALID_INPUT", "read token: empty");
  const bad = bytes.firstInvisible();
  if (bad === -1) return bytes;
  throw new VaultError(
    "INVALID_INPUT",
    `read token: byte ${bad + 1} of ${bytes.length} is not visible ASCII`,
  );
}
