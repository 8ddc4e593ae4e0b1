import { ImageError } from "./image-error.ts";

/** A digest as OCI writes it. */
export type Digest = `sha256:${string}` | `sha512:${string}`;

const lengths: Readonly<Record<string, number>> = { sha256: 64, sha512: 128 };

/**
 * Whether the text is a digest of an algorithm that is known here (OCI image-spec, descriptor.md).
 */
export function isDigest(text: unknown): text is Digest {
  if (typeof text !== "string") return false;
  const [, algorithm = "", hex = ""] = /^(sha256|sha512):([0-9a-f]+)$/.exec(text) ?? [];
  return hex !== "" && hex.length === lengths[algorithm];
}

/** The digest of bytes. */
export function digestOf(bytes: Uint8Array, algorithm: "sha256" | "sha512" = "sha256"): Digest {
  const hex = new Bun.CryptoHasher(algorithm).update(bytes).digest("hex");
  return `${algorithm}:${hex}`;
}

/** @throws ImageError `BAD_ANSWER` if the bytes are not those that were asked for. */
export function requireDigest(bytes: Uint8Array, wanted: Digest, operation: string): void {
  const found = digestOf(bytes, wanted.startsWith("sha512:") ? "sha512" : "sha256");
  if (found === wanted) return;
  throw new ImageError("BAD_ANSWER", `${operation}: its digest is ${found}, not ${wanted}`);
}
