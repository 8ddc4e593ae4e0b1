const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const CHECKSUM_LENGTH = 6;

/** A text in Bech32 (BIP 173): what it says of itself, and how many bytes it holds. */
export interface Bech32 {
  readonly prefix: string;
  readonly byteLength: number;
}

/**
 * Reads a text in lower-case Bech32, of any length as age has them; undefined where it is none, or was
 * mistyped. Of the bytes only their number is needed here: what they are is the cipher's to say.
 */
export function readBech32(text: string): Bech32 | undefined {
  const separator = text.lastIndexOf("1");
  const values = [...text.slice(separator + 1)].map((character) => alphabet.indexOf(character));
  if (separator < 1 || values.length < CHECKSUM_LENGTH || values.includes(-1)) return undefined;
  const prefix = text.slice(0, separator);
  if (checksumOf([...expanded(prefix), ...values]) !== 1) return undefined;
  const bits = (values.length - CHECKSUM_LENGTH) * 5;
  return { prefix, byteLength: Math.floor(bits / 8) };
}

function expanded(prefix: string): readonly number[] {
  const codes = [...prefix].map((character) => character.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function checksumOf(values: readonly number[]): number {
  let checksum = 1;
  for (const value of values) {
    const top = checksum >> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of generators.entries()) {
      if (((top >> bit) & 1) === 1) checksum ^= generator;
    }
  }
  return checksum;
}
