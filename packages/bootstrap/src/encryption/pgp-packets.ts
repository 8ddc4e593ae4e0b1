/** The tags of OpenPGP packets that identify a file (RFC 9580 §5). */
export const pgpTags = { secretKey: 5, publicKey: 6, secretSubkey: 7 } as const;

interface Packet {
  readonly tag: number;
  /** The offset of the next one. */
  readonly end: number;
}

/** The tags of the packets, in order; undefined if the bytes are not whole packets. */
export function packetTags(bytes: Uint8Array): readonly number[] | undefined {
  const tags: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const packet = packetAt(bytes, at);
    if (packet === undefined || packet.end > bytes.length) return undefined;
    tags.push(packet.tag);
    at = packet.end;
  }
  return tags;
}

/** True if bytes can begin a packet, which no text does. */
export function beginsPacket(bytes: Uint8Array): boolean {
  return ((bytes[0] ?? 0) & 0x80) !== 0;
}

/** RFC 9580 §4.2: both formats of a header. */
function packetAt(bytes: Uint8Array, at: number): Packet | undefined {
  const first = bytes[at] ?? 0;
  if ((first & 0x80) === 0) return undefined;
  return (first & 0x40) === 0
    ? legacyPacket(bytes, at, first)
    : currentPacket(bytes, at, first & 0x3f);
}

function legacyPacket(bytes: Uint8Array, at: number, first: number): Packet | undefined {
  const type = first & 0x03;
  // A packet of undetermined length is never a key's.
  if (type === 3) return undefined;
  const size = 2 ** type;
  const length = numberAt(bytes, at + 1, size);
  return { tag: (first & 0x3c) >> 2, end: at + 1 + size + length };
}

function currentPacket(bytes: Uint8Array, at: number, tag: number): Packet | undefined {
  const octet = bytes[at + 1] ?? 0;
  if (octet < 192) return { tag, end: at + 2 + octet };
  if (octet < 224) return { tag, end: at + 3 + (octet - 192) * 256 + (bytes[at + 2] ?? 0) + 192 };
  // In parts: only data may be.
  if (octet < 255) return undefined;
  return { tag, end: at + 6 + numberAt(bytes, at + 2, 4) };
}

function numberAt(bytes: Uint8Array, at: number, size: number): number {
  return bytes.subarray(at, at + size).reduce((sum, byte) => sum * 256 + byte, 0);
}
