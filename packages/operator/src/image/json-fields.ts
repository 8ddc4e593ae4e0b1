import { ImageError } from "./image-error.ts";

/** An unchecked JSON object of a registry. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether it is an object and no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads a registry's answer as a JSON object.
 *
 * @throws ImageError `BAD_ANSWER`, without a word of the answer
 */
export function parseFields(bytes: Uint8Array, operation: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's words would quote the answer.
    throw new ImageError("BAD_ANSWER", `${operation}: the answer is not JSON`);
  }
  if (isFields(value)) return value;
  throw new ImageError("BAD_ANSWER", `${operation}: the answer is not a JSON object`);
}

/** The text of a field, or undefined if it is not a text or empty. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The JSON in the bytes of a body; undefined if they are not UTF-8, or not JSON. */
export function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
