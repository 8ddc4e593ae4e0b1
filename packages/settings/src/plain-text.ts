import { accepted, type Parsed, refused } from "./parsed.ts";

/** Parses a text of one line: anything but control characters and broken UTF-16. */
export function parsePlainText(text: string): Parsed<string> {
  if (text === "" || text !== text.trim()) {
    return refused("a text without white space around it");
  }
  return isPlain(text) ? accepted(text) : refused("a text without control characters");
}

/**
 * True for a text without control characters and without halves of surrogate pairs.
 *
 * A loop, because this runs at every start: compiling \p{Cc} takes longer than all the texts.
 */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false;
  }
  return text.isWellFormed();
}
