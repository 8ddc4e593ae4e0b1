import { accepted, type Parsed, refused } from "./parsed.ts";

const wantedArray = "a JSON array of strings";
const wanted = `${wantedArray}, or words between white space that begin with none of [ { "`;

/**
 * Parses the words of a command: a JSON array of strings, else words between ASCII white space.
 *
 * A text that begins like JSON and is malformed is refused, never split: half an array would become
 * another command. The whitespace form knows no quotes and no escapes.
 */
export function parseWords(text: string): Parsed<readonly string[]> {
  if (!looksLikeJson(text)) {
    return accepted(text.split(/[ \t\n\v\f\r]+/).filter((word) => word !== ""));
  }
  const value = parsedJson(text);
  if (value === undefined) return refused(wanted, { found: "the JSON in it does not parse" });
  if (!isStringArray(value)) return refused(wanted);
  // A NUL would end the word early in execve, and half a surrogate pair has no UTF-8.
  return value.every((word) => !word.includes("\0") && word.isWellFormed())
    ? accepted(value)
    : refused(`${wantedArray} that hold no NUL and no broken character`);
}

/** True when a text is meant as JSON, whether it parses or not. */
export function looksLikeJson(text: string): boolean {
  return /^[ \t\n\v\f\r]*[[{"]/.test(text);
}

function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}
