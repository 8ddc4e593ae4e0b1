const PAD = 0x3d;
const whiteSpace: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Both alphabets of RFC 4648, by the bytes of their letters. */
const digits: ReadonlyMap<number, number> = new Map(
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "-_"].flatMap((letters) =>
    [...letters].map((letter, index) => {
      const value = letters.length === 2 ? 62 + index : index;
      return [letter.charCodeAt(0), value] as const;
    }),
  ),
);

/**
 * Decodes base64 in its own place, so that no copy is made; RFC 4648. White space between the letters
 * and missing padding are accepted. The bytes behind the result are zeroes then.
 *
 * @returns the length of the result; undefined if the bytes are not base64, which then are garbage.
 */
export function decodeBase64(bytes: Uint8Array): number | undefined {
  let length = 0;
  let bits = 0;
  let held = 0;
  let letters = 0;
  let pads = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (whiteSpace.has(byte)) continue;
    if (byte === PAD) {
      pads += 1;
      continue;
    }
    const value = digits.get(byte);
    if (value === undefined || pads > 0) return undefined;
    letters += 1;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = (held >> bits) & 0xff;
    length += 1;
  }
  bytes.fill(0, length);
  const isPadded = pads === 0 || (pads <= 2 && (letters + pads) % 4 === 0);
  return letters % 4 === 1 || !isPadded ? undefined : length;
}
