import { accepted, type Parsed, refused } from "./parsed.ts";

/** Parses a text of one line: anything but control characters and broken UTF-16. */
export function parsePlainText(text: string): Parsed<string> {
  if (text === "" || text !== text.trim()) {
    return refused("a text without white space around it");
  }
  return isPlain(text) ? accepted(text) : refused("a text without control characters");
}

const controlCharacter = /\p{Cc}/u;

/** True for a text without control characters and without halves of surrogate pairs. */
export function isPlain(text: string): boolean {
  return !controlCharacter.test(text) && text.isWellFormed();
}
