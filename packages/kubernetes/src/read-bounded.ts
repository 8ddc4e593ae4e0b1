/** The bytes of an answer's body; throws a RangeError if there are more than `limit`. */
export async function readBounded(response: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new RangeError(`the answer has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  const [first] = chunks;
  // A copy of each of thousands of pages is memory that has to be collected.
  if (first !== undefined && chunks.length === 1) {
    return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  }
  return Buffer.concat(chunks);
}
