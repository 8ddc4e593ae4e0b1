/**
 * Each byte as the character of its number, so that no two texts of bytes become one; ISO 8859-1.
 */
export function latin1Text(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
