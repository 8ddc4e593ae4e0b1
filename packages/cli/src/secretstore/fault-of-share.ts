import type { Secret } from "@svc/vault";

/** More than Shamir's scheme makes of the key of any store, which has 32 bytes. */
const MOST_BYTES = 64;

/** The reason why a text cannot be a key share; undefined if the store has to judge it. */
export function faultOfShare(share: Secret): string | undefined {
  const text = new Uint8Array(share.byteLength);
  share.writeTo(text);
  try {
    const length = lengthIn(text);
    if (length === undefined) return "it is neither base64 nor hexadecimal";
    if (length <= MOST_BYTES) return undefined;
    return `it has ${length} bytes, more than any share: an encrypted one is to be decrypted first`;
  } finally {
    text.fill(0);
  }
}

/** How many bytes a text stands for; undefined if it is neither base64 nor hexadecimal. */
function lengthIn(text: Uint8Array): number | undefined {
  if (text.length % 2 === 0 && text.every(isHex)) return text.length / 2;
  const padding = text.indexOf(EQUALS);
  const digits = padding === -1 ? text : text.subarray(0, padding);
  const rest = text.subarray(digits.length);
  const isPadded = text.length % 4 === 0 && rest.length <= 2 && rest.every((it) => it === EQUALS);
  return isPadded && digits.every(isBase64) ? Math.floor((digits.length * 3) / 4) : undefined;
}

const EQUALS = 0x3d;
const isHex = memberOf("0123456789abcdefABCDEF");
const isBase64 = memberOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

function memberOf(alphabet: string): (byte: number) => boolean {
  const members = new Set(new TextEncoder().encode(alphabet));
  return (byte) => members.has(byte);
}
