/** The random names that a store hands out; a test can make them predictable. */
export interface RandomNames {
  /** A UUID, for request and cluster ids. */
  readonly uuid: () => string;
  /** 24 letters and digits, for tokens, accessors and leases. */
  readonly letters: () => string;
  /** 32 bytes in base64, for the unseal key. */
  readonly key: () => string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Names from the system's random source. */
export function randomNames(): RandomNames {
  return {
    uuid: () => crypto.randomUUID(),
    letters: () => Array.from({ length: 24 }, randomLetter).join(""),
    key: () => crypto.getRandomValues(new Uint8Array(32)).toBase64(),
  };
}

/** Bytes past the last full alphabet are thrown away, so that every letter is as likely. */
function randomLetter(): string {
  const limit = 256 - (256 % ALPHABET.length);
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
  return byte < limit ? ALPHABET.charAt(byte % ALPHABET.length) : randomLetter();
}
