import { readWholeDescriptor, readWholeFile } from "@svc/kernel";
import type { SecretBackend } from "../secret-bytes.ts";
import { bytesOf, HeapSecret } from "./heap-secret.ts";

/** Secrets in this process's heap. */
export const backend: SecretBackend = {
  secretBytesFrom: (bytes) => new HeapSecret(new Uint8Array(bytes)),
  readSecretFile: (path, limit) => taken(readWholeFile(path, limit)),
  readSecretDescriptor: (fd, limit) => taken(readWholeDescriptor(fd, limit)),
  hmacSha256(key, parts) {
    const hasher = new Bun.CryptoHasher("sha256", key);
    for (const part of parts) hasher.update(typeof part === "string" ? part : bytesOf(part));
    return hasher.digest("hex");
  },
};

/** A copy of the same length: the bytes are a view of a longer buffer. */
function taken(bytes: Uint8Array): HeapSecret {
  try {
    return new HeapSecret(new Uint8Array(bytes));
  } finally {
    bytes.fill(0);
  }
}
