import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import type { SecretsByPath } from "../model/secrets-by-path.ts";
import type { ParsedSecrets, SecretsProblem } from "./parsed-file.ts";

/** Makes secrets of a parsed file: one per path, or one at `flatPath` of all its fields. */
export function arrangeSecrets(value: JsonValue, text: string, flatPath: string): ParsedSecrets {
  if (!isJsonObject(value)) return failed(1, "the file: must be a mapping of names to values");
  const entries = Object.entries(value);
  if (entries.length === 0) return failed(1, "the file: has no secrets");
  const nested = entries.some(([key, fields]) => isJsonObject(fields) && key.includes("/"));
  return nested ? byPath(entries, text) : { ok: true, secrets: { [flatPath]: value } };
}

function byPath(entries: readonly (readonly [string, JsonValue])[], text: string): ParsedSecrets {
  const secrets = new Map<string, JsonObject>();
  const problems: SecretsProblem[] = [];
  for (const [path, fields] of entries) {
    const wrong = problemOf(path, fields);
    if (wrong !== undefined) problems.push({ line: lineOfKey(text, path), message: wrong });
    else if (isJsonObject(fields)) secrets.set(path, fields);
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, secrets: Object.fromEntries(secrets) satisfies SecretsByPath };
}

function problemOf(path: string, fields: JsonValue): string | undefined {
  if (!/^[^/].*?\/data\/.*[^/]$/.test(path)) {
    return `path "${path}": must be <mount>/data/<path>, as all keys of a file with paths`;
  }
  return isJsonObject(fields) ? undefined : `path "${path}": must hold a mapping of fields`;
}

/** The first line that begins with the key, quoted or not; 1 when it is written some other way. */
function lineOfKey(text: string, key: string): number {
  const lines = text.split("\n");
  const starts = [`"${key}"`, `'${key}'`, `${key}:`];
  const index = lines.findIndex((line) => {
    const start = line.replace(/^[\s{,]+/, "");
    return starts.some((wanted) => start.startsWith(wanted));
  });
  return index + 1 || 1;
}

function failed(line: number, message: string): ParsedSecrets {
  return { ok: false, problems: [{ line, message }] };
}
