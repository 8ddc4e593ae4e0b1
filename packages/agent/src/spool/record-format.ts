/**
 * How a record is kept: its length, a checksum of length and content (CRC-32, both unsigned, 32
 * bits, little-endian), and the content. The checksum covers the length, so that zeros do not
 * pass for a record: a file system leaves them behind after a power cut.
 */
export const HEADER_BYTES = 8;

/**
 * An event of a kilobyte is a large one. The longest has four paths of 4,096 bytes, each of which
 * may be six in JSON: the actor chooses them.
 */
export const MOST_CONTENT_BYTES = 256 * 1024;

/** The bytes of a record. @throws RangeError if the content is empty or too long */
export function encodeRecord(content: Uint8Array): Uint8Array {
  if (content.length === 0 || content.length > MOST_CONTENT_BYTES) {
    throw new RangeError(
      `keep a record: must have 1 to ${MOST_CONTENT_BYTES} bytes: ${content.length}`,
    );
  }
  const bytes = new Uint8Array(HEADER_BYTES + content.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length, true);
  view.setUint32(4, checksum(content), true);
  bytes.set(content, HEADER_BYTES);
  return bytes;
}

/** The record at a position of a segment. */
export type DecodedRecord =
  | { readonly kind: "record"; readonly content: Uint8Array; readonly end: number }
  /** Nothing more. */
  | { readonly kind: "end" }
  /** Part of a record, or other bytes: nothing after it can be trusted. */
  | { readonly kind: "damaged" };

/** Reads the record that begins at `start`; its content is a view into `bytes`. */
export function decodeRecord(bytes: Uint8Array, start: number): DecodedRecord {
  if (start === bytes.length) return { kind: "end" };
  if (start + HEADER_BYTES > bytes.length) return { kind: "damaged" };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = view.getUint32(start, true);
  const end = start + HEADER_BYTES + length;
  if (length === 0 || length > MOST_CONTENT_BYTES || end > bytes.length) return { kind: "damaged" };
  const content = bytes.subarray(start + HEADER_BYTES, end);
  return view.getUint32(start + 4, true) === checksum(content)
    ? { kind: "record", content, end }
    : { kind: "damaged" };
}

const lengthBytes = new Uint8Array(4);
const lengthView = new DataView(lengthBytes.buffer);

function checksum(content: Uint8Array): number {
  lengthView.setUint32(0, content.length, true);
  return Bun.hash.crc32(content, Bun.hash.crc32(lengthBytes));
}
