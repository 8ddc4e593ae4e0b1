/** The few ASN.1 DER forms that an X.509 certificate needs (ITU-T X.690). */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat([...parts]);
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

/** SEQUENCE */
export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return der(0x30, ...parts);
}

/** OBJECT IDENTIFIER from its dotted text. */
export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Uint8Array.of(first * 40 + second, ...rest.flatMap(base128)));
}

/** INTEGER from big-endian bytes of a number that is not negative. */
export function integer(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const trimmed = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  const negative = (trimmed[0] ?? 0) >= 0x80;
  return negative ? der(0x02, Uint8Array.of(0), trimmed) : der(0x02, trimmed);
}

/** BIT STRING with no unused bits. */
export function bitString(bytes: Uint8Array): Uint8Array {
  return der(0x03, Uint8Array.of(0), bytes);
}

/** UTF8String */
export function utf8(text: string): Uint8Array {
  return der(0x0c, Buffer.from(text));
}

/** GeneralizedTime, whole seconds in UTC. */
export function time(ms: number): Uint8Array {
  const text = new Date(ms).toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "");
  return der(0x18, Buffer.from(text));
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
