/**
 * As much of the protobuf encoding as the messages to the agent need (protobuf.dev/programming-guides/encoding): the
 * library has 4 MB of memory and 8 ms of every program's start. Tests compare with it.
 */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** What a field is given as. Numbers are not negative; zeros and empty texts are left out, as proto3 does. */
export type FieldValue = number | bigint | string | Uint8Array | readonly number[];

/** A message of these fields, by their numbers. */
export function encodeFields(fields: Readonly<Record<number, FieldValue>>): Uint8Array {
  const bytes: number[] = [];
  for (const [number, value] of Object.entries(fields)) {
    if (typeof value === "number" || typeof value === "bigint") {
      if (Number(value) === 0) continue;
      bytes.push(...varint(Number(number) * 8 + VARINT), ...varint(value));
      continue;
    }
    const content = contentOf(value);
    // A message that is there counts, also an empty one.
    if (content.length === 0 && !(value instanceof Uint8Array)) continue;
    bytes.push(...varint(Number(number) * 8 + BYTES), ...varint(content.length), ...content);
  }
  return Uint8Array.from(bytes);
}

function contentOf(value: Exclude<FieldValue, number | bigint>): Uint8Array {
  if (typeof value === "string") return new TextEncoder().encode(value);
  // Repeated numbers are packed.
  return value instanceof Uint8Array ? value : Uint8Array.from(value.flatMap(varint));
}

function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}

/** A field of a message: a number, or the bytes of a text, a message or packed numbers. */
export interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** The fields of a message; those of a fixed length, of which there are none here, are passed over. @throws RangeError where it is none */
export function decodeFields(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  const cursor = { at: 0 };
  while (cursor.at < bytes.length) {
    const tag = readVarint(bytes, cursor);
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case VARINT:
        fields.push({ number, value: readVarint(bytes, cursor) });
        break;
      case BYTES:
        fields.push({ number, value: take(bytes, cursor, Number(readVarint(bytes, cursor))) });
        break;
      case FIXED64:
        take(bytes, cursor, 8);
        break;
      case FIXED32:
        take(bytes, cursor, 4);
        break;
      default:
        throw new RangeError("decode a message: a kind of field that there is not");
    }
  }
  return fields;
}

function readVarint(bytes: Uint8Array, cursor: { at: number }): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new RangeError("decode a message: a number that does not end");
}

function take(bytes: Uint8Array, cursor: { at: number }, length: number): Uint8Array {
  const end = cursor.at + length;
  if (end > bytes.length) throw new RangeError("decode a message: it is too short");
  const taken = bytes.subarray(cursor.at, end);
  cursor.at = end;
  return taken;
}
