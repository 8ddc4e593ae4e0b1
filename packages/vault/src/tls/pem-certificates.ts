const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The PEM certificates in a text, without the text between them; RFC 7468. */
export function certificatesOf(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}

/**
 * True if a PEM certificate is not base64 of one whole ASN.1 SEQUENCE in long form, as every
 * certificate is; X.690 §8.1.3.5.
 */
export function isDamaged(certificate: string): boolean {
  const base64 = certificate.replace(/-----[^-]+-----|\s/g, "");
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(base64)) return true;
  const [tag = 0, form = 0, ...length] = firstBytes(base64);
  const lengthBytes = form - 0x80;
  if (tag !== 0x30 || lengthBytes < 1 || lengthBytes > 3) return true;
  const content = length.slice(0, lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
  return byteLength(base64) !== content + 2 + lengthBytes;
}

/** The six bytes that eight characters of base64 hold; RFC 4648 section 4. */
function firstBytes(base64: string): readonly number[] {
  const bits = [...base64.slice(0, 8)].reduce((sum, it) => sum * 64 + ALPHABET.indexOf(it), 0);
  return [40, 32, 24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256);
}

function byteLength(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}
