/** A number that keeps the text it had in its source: 1.0 stays 1.0, and no digit is lost. */
export interface ExactNumber {
  readonly rawJSON: string;
}

declare global {
  /**
   * ECMAScript's "JSON.parse source text access", which TypeScript's library does not describe yet.
   */
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

/** The value of a JSON text whose numbers kept their text. */
export type ExactJson =
  | string
  | boolean
  | null
  | ExactNumber
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

/**
 * Parses JSON without losing the text of any number; undefined when the text is not JSON.
 *
 * The parser's own error is dropped on purpose: it quotes the text, and the text holds secrets.
 */
export function parseExactJson(text: string): ExactJson | undefined {
  try {
    return JSON.parse(text, keepNumberText);
  } catch {
    return undefined;
  }
}

/** Whether a value is a number of `parseExactJson`. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return JSON.isRawJSON(value);
}

/** Whether a value is a JSON object: not null, not an array, not an exact number. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, ExactJson>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value)
  );
}

/**
 * The text a field is delivered as: strings verbatim, null as null, everything else as compact
 * JSON.
 */
export function fieldText(value: ExactJson): string | null {
  if (value === null || typeof value === "string") return value;
  return JSON.stringify(value);
}

function keepNumberText(_key: string, value: unknown, context?: { readonly source?: string }) {
  return typeof value === "number" && context?.source !== undefined
    ? JSON.rawJSON(context.source)
    : value;
}
