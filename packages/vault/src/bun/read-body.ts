import { type SecretBytes, secretBytesFrom } from "@svc/secret-bytes";
import { TransportError } from "../http/transport.ts";

/**
 * Reads a body, stopping at the first byte too many.
 *
 * @throws TransportError `body too large`, and the errors of fetch
 */
export async function readBody(response: Response, maxBytes: number): Promise<SecretBytes> {
  if (await hasBoundedLength(response, maxBytes)) return closed(await response.bytes());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream and with it the connection.
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return closed(Buffer.concat(chunks));
}

/**
 * Whether the answer declares an acceptable length, which its framing then enforces
 * (RFC 9112 §6.3: not when a transfer coding is there, too). Spares small answers the stream,
 * whose first use costs a compiled program 0.6 ms.
 */
async function hasBoundedLength(response: Response, maxBytes: number): Promise<boolean> {
  const declared = Number(response.headers.get("content-length") ?? Number.NaN);
  if (Number.isNaN(declared)) return false;
  if (declared <= maxBytes) return !response.headers.has("transfer-encoding");
  await response.body?.cancel();
  throw tooLarge();
}

function closed(bytes: Uint8Array): SecretBytes {
  const body = secretBytesFrom(bytes);
  bytes.fill(0);
  return body;
}

function tooLarge(): TransportError {
  return new TransportError("body too large", { answered: true });
}
