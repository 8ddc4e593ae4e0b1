import type { JsonValue } from "../json/json.ts";
import type { ParsedFile } from "./parsed-file.ts";

/** Parses a YAML text with Bun's parser; a syntax error is located by us, for Bun does not tell. */
export function parseYaml(text: string): ParsedFile {
  const value = tryParse(text);
  if (value === undefined) {
    const message = "YAML: cannot be parsed here or in the lines after it";
    return { ok: false, problems: [{ line: firstBadLine(text), message }] };
  }
  return { ok: true, value };
}

/** The line after the longest beginning of the text that is YAML by itself. */
function firstBadLine(text: string): number {
  const lines = text.split("\n");
  const good = lines.findLastIndex((_, index) => {
    return tryParse(lines.slice(0, index + 1).join("\n")) !== undefined;
  });
  return good + 2;
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return toJson(Bun.YAML.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A YAML value as JSON: the store could hold nothing else. */
function toJson(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(toJson);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}
