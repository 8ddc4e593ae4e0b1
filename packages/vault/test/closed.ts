import { type SecretBytes, secretBytesFrom } from "@svc/secret-bytes";
import type { SecretData } from "../src/kv/read-secret.ts";

/** A text as a secret. */
export function closed(text: string): SecretBytes {
  return secretBytesFrom(new TextEncoder().encode(text));
}

/** The fields of a secret as texts, to be compared: closed ones all look alike. */
export function openedFields({ fields }: SecretData): Readonly<Record<string, string | null>> {
  const texts = [...fields].map(([name, value]) => [name, value?.open([]) ?? null] as const);
  return Object.fromEntries(texts);
}
