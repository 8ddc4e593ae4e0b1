import { accepted, type Parsed, refused } from "./parsed.ts";

/** The characters with a meaning in lists of paths and in environment maps, and the sign itself. */
const codes: Readonly<Record<string, string>> = {
  "%": "%25",
  ",": "%2C",
  ";": "%3B",
  "#": "%23",
  "?": "%3F",
  "*": "%2A",
};

const known = new Map(Object.entries(codes).map(([character, code]) => [code, character]));

/**
 * Replaces the codes of a path or of a field's name by their characters. Another use of `%` is
 * refused: it could mean the sign itself or a code (docs/decisions/0099).
 */
export function decodePercent(text: string): Parsed<string> {
  // Most texts, of which there may be hundreds.
  if (!text.includes("%")) return accepted(text);
  const unknown = text.match(/%(?:[\dA-Fa-f]{2}|.{0,2})/gsu)?.find((code) => !isKnown(code));
  if (unknown === undefined) {
    return accepted(text.replace(/%../g, (code) => known.get(code.toUpperCase()) ?? code));
  }
  return refused("a text whose % begins one of %2C %3B %23 %3F %2A %25, for , ; # ? * %", {
    found: `it has "${unknown}"`,
    hint: "write %25 for a percent sign, and every other character as it is",
  });
}

function isKnown(code: string): boolean {
  return known.has(code.toUpperCase());
}

/** The text that `decodePercent` gives back. */
export function encodePercent(text: string): string {
  return text.replace(/[%,;#?*]/g, (character) => codes[character] ?? character);
}
