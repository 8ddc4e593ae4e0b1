/** The bytes of an array that a call was given. */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

const decoder = new TextDecoder();

/** The text of a C string in an array. */
export function textOf(array: ArrayBufferView): string {
  const bytes = bytesOf(array);
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}
