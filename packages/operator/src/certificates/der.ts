/** The few forms of DER (ITU-T X.690) that a certificate is written with. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat([...parts]);
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

/** SEQUENCE */
export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return der(0x30, ...parts);
}

/** SET of one member. */
export function setOf(member: Uint8Array): Uint8Array {
  return der(0x31, member);
}

/** OBJECT IDENTIFIER of its dotted text. */
export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Uint8Array.of(first * 40 + second, ...rest.flatMap(base128)));
}

/** INTEGER of the big-endian bytes of a number that is not negative. */
export function integer(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const trimmed = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  const isNegative = (trimmed[0] ?? 0) >= 0x80;
  return isNegative ? der(0x02, Uint8Array.of(0), trimmed) : der(0x02, trimmed);
}

/** BOOLEAN TRUE; FALSE is the default wherever it is used here, and a default is not written. */
export const isTrue: Uint8Array = Uint8Array.of(0x01, 0x01, 0xff);

/** BIT STRING, with as many bits left out at its end as are said. */
export function bitString(bytes: Uint8Array, unused = 0): Uint8Array {
  return der(0x03, Uint8Array.of(unused), bytes);
}

/** OCTET STRING */
export function octets(bytes: Uint8Array): Uint8Array {
  return der(0x04, bytes);
}

/** UTF8String */
export function utf8(text: string): Uint8Array {
  return der(0x0c, Buffer.from(text));
}

/** Whole seconds in UTC: UTCTime until 2049, GeneralizedTime from then on (RFC 5280, 4.1.2.5). */
export function time(ms: number): Uint8Array {
  const digits = new Date(ms).toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "");
  return Number(digits.slice(0, 4)) < 2050
    ? der(0x17, Buffer.from(digits.slice(2)))
    : der(0x18, Buffer.from(digits));
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function base128(value: number): readonly number[] {
  const high = [];
  for (let rest = value >> 7; rest > 0; rest >>= 7) high.unshift((rest & 0x7f) | 0x80);
  return [...high, value & 0x7f];
}
