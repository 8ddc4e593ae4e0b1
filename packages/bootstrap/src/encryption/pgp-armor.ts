import { crc24 } from "./crc24.ts";

/** The finding in a file; a fault follows the file's name and shows nothing of its content. */
export type Decoded = { readonly bytes: Uint8Array } | { readonly fault: string };

const begin = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const end = "-----END PGP PUBLIC KEY BLOCK-----";

/**
 * Decodes an armored public key (RFC 9580 §6.2), or the base64 of a binary one as `base64` writes
 * it.
 */
export function decodePgpText(text: string): Decoded {
  // Check this first: a user who confuses the two should get only this message.
  if (text.includes("-----BEGIN PGP PRIVATE KEY BLOCK-----")) return privateKeyFault;
  const lines = text.trim().split(/\r?\n/);
  return lines[0]?.trimEnd() === begin ? decodeArmor(lines) : decodeBase64(lines.join(""));
}

/** For a file with a private key, in any form. */
export const privateKeyFault = {
  fault: "holds a private key, which should be nowhere near a store: give the public one",
} as const satisfies Decoded;

function decodeArmor(lines: readonly string[]): Decoded {
  const trimmed = lines.map((line) => line.trimEnd());
  if (trimmed.lastIndexOf(begin) > 0) return { fault: "holds more than one key" };
  const blank = trimmed.indexOf("");
  if (blank === -1 || trimmed.at(-1) !== end) return { fault: "is not complete" };
  const body = trimmed.slice(blank + 1, -1);
  const checksum = /^=([A-Za-z0-9+/]{4})$/.exec(body.at(-1) ?? "")?.[1];
  const decoded = decodeBase64((checksum === undefined ? body : body.slice(0, -1)).join(""));
  if (checksum === undefined || "fault" in decoded) return decoded;
  return crc24(decoded.bytes) === numberOf(checksum) ? decoded : { fault: "has a wrong checksum" };
}

function decodeBase64(text: string): Decoded {
  try {
    return { bytes: Uint8Array.fromBase64(text) };
  } catch {
    return { fault: "is neither armored nor binary, nor the base64 of a binary key" };
  }
}

function numberOf(checksum: string): number {
  return Uint8Array.fromBase64(checksum).reduce((sum, byte) => sum * 256 + byte, 0);
}
