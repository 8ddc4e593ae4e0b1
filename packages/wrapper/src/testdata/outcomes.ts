import { type ReadOutcome, VaultError } from "@svc/vault";
import type { SecretMapping, SecretSettings, SecretSource } from "../settings.ts";

/** A secret that was read; null stands for a JSON null. */
export function read(path: string, fields: Readonly<Record<string, string | null>>): ReadOutcome {
  return { ok: true, ref: { path }, secret: { path, fields: new Map(Object.entries(fields)) } };
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

/** Settings of the sources alone, unless told more. */
export function secretSettings(
  sources: readonly SecretSource[],
  more: Partial<SecretSettings> = {},
): SecretSettings {
  return { sources, searchedKeys: [], allowReferences: false, ...more };
}
