import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * The JSON text that Go's encoding/json writes for `value`: keys sorted by their UTF-8 bytes,
 * `<`, `>`, `&`, U+2028 and U+2029 escaped, `-0` kept. A client that hashes or compares the text
 * of a secret then sees the same text here as from the real server.
 */
export function goJson(value: JsonValue): string {
  if (typeof value === "string") return goString(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (isJsonObject(value)) return goObject(value);
  return JSON.stringify(value);
}

/** The same, with the keys in the order given: Go writes a struct in the order of its fields. */
export function goStruct(fields: JsonObject): string {
  return `{${Object.entries(fields).map(goMember).join(",")}}`;
}

function goObject(object: JsonObject): string {
  return `{${Object.entries(object).sort(byUtf8Key).map(goMember).join(",")}}`;
}

function goMember([key, value]: readonly [string, JsonValue]): string {
  return `${goString(key)}:${goJson(value)}`;
}

function byUtf8Key(
  left: readonly [string, JsonValue],
  right: readonly [string, JsonValue],
): number {
  return Buffer.compare(Buffer.from(left[0]), Buffer.from(right[0]));
}

function goString(text: string): string {
  // A lone surrogate cannot be UTF-8: Go writes U+FFFD for it, JSON.stringify an escape.
  return JSON.stringify(text.toWellFormed()).replace(/[<>&\u2028\u2029]/g, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
