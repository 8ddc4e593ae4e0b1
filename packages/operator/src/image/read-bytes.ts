import { ImageError } from "./image-error.ts";

/**
 * Reads a body, stopping at the first byte too many.
 *
 * @throws ImageError `TOO_LARGE`
 */
export async function readBytes(
  response: Response,
  { maxBytes, operation }: { readonly maxBytes: number; readonly operation: string },
): Promise<Uint8Array> {
  const declared = Number(response.headers.get("content-length") ?? 0);
  if (declared > maxBytes) {
    await response.body?.cancel();
    throw tooLarge(operation, `${declared} bytes`, maxBytes);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream and with it the connection.
    if (size > maxBytes) throw tooLarge(operation, "more", maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(operation: string, found: string, maxBytes: number): ImageError {
  return new ImageError(
    "TOO_LARGE",
    `${operation}: at most ${maxBytes} bytes are read, there are ${found}`,
  );
}
