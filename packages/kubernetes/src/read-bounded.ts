/** The bytes of an answer's body; throws a RangeError where there are more than `limit`. */
export async function readBounded(response: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new RangeError(`the answer has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
