import { type Decoded, decodePgpText, privateKeyFault } from "./pgp-armor.ts";
import { beginsPacket, packetTags, pgpTags } from "./pgp-packets.ts";

/**
 * Parses a file with one OpenPGP public key: armored, binary, or the base64 of a binary one.
 * Whether it can be encrypted to is the store's to say.
 */
export function parsePgpKey(file: Uint8Array): Decoded {
  if (file.length === 0) return { fault: "is empty" };
  const decoded = beginsPacket(file) ? { bytes: file } : decodePgpText(textOf(file));
  return "fault" in decoded ? decoded : requirePublicKey(decoded.bytes);
}

function requirePublicKey(bytes: Uint8Array): Decoded {
  const tags = packetTags(bytes);
  if (tags === undefined) return { fault: "is not an OpenPGP key, or is not complete" };
  if (tags.includes(pgpTags.secretKey) || tags.includes(pgpTags.secretSubkey)) {
    return privateKeyFault;
  }
  if (tags[0] !== pgpTags.publicKey) return { fault: "does not begin with a public key" };
  // The store would silently take the first key of a file with several.
  if (tags.lastIndexOf(pgpTags.publicKey) > 0) return { fault: "holds more than one key" };
  return { bytes };
}

function textOf(file: Uint8Array): string {
  // Comments in the armor may be in any encoding; the relevant text is ASCII.
  return new TextDecoder("latin1").decode(file);
}
