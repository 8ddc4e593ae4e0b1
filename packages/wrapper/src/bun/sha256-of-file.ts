import { readAt } from "@svc/kernel";

const CHUNK_BYTES = 1 << 20;

/** In pieces: the largest file of a bundle has more than a hundred mebibytes. */
export function sha256OfFile(fd: number): string {
  const hash = new Bun.CryptoHasher("sha256");
  const chunk = new Uint8Array(CHUNK_BYTES);
  let position = 0;
  for (let count = readAt(fd, chunk, 0); count > 0; count = readAt(fd, chunk, position)) {
    hash.update(chunk.subarray(0, count));
    position += count;
  }
  return hash.digest("hex");
}
