import { type SecretBytes, secretBytesFrom } from "@svc/secret-bytes";
import { type ReadOutcome, VaultError } from "@svc/vault";
import type { SecretMapping, SecretSettings, SecretSource } from "../settings.ts";

/** A secret that was read; null stands for a JSON null. */
export function read(path: string, fields: Readonly<Record<string, string | null>>): ReadOutcome {
  const values = Object.entries(fields).map(
    ([name, value]) => [name, value === null ? null : closed(value)] as const,
  );
  return { ok: true, ref: { path }, secret: { path, fields: new Map(values) } };
}

/** A text as a secret. */
export function closed(text: string): SecretBytes {
  return secretBytesFrom(new TextEncoder().encode(text));
}

/** A secret in comparable form, because closed ones all look alike. */
export function opened(secret: SecretBytes | null): string | null {
  return secret?.open([]) ?? null;
}

/** A secret that could not be read. */
export function unread(path: string): Extract<ReadOutcome, { ok: false }> {
  return {
    ok: false,
    ref: { path },
    error: new VaultError("NOT_FOUND", `read ${path}: nothing there`),
  };
}

/** A secret to fetch. */
export function source(path: string, ...mappings: readonly SecretMapping[]): SecretSource {
  return { path, mappings };
}

/** A mapping of one field. */
export function field(name: string, variable: string): SecretMapping {
  return { kind: "field", field: name, variable };
}

/** Settings, by default of the sources alone. */
export function secretSettings(
  sources: readonly SecretSource[],
  more: Partial<SecretSettings> = {},
): SecretSettings {
  return { sources, searchedKeys: [], allowReferences: false, ...more };
}
