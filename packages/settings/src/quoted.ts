const shownCharacters = 80;

/** A text from outside as it may stand in a message: quoted, and at most 80 characters of it. */
export function quoted(text: string): string {
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters - 1)}…` : text;
  return printable(JSON.stringify(shown));
}

/**
 * The text with escapes for everything that moves the cursor, ends the line or turns the
 * direction of writing: control characters, line separators, bidirectional and invisible marks.
 */
export function printable(text: string): string {
  return text.replace(unsafe, escaped);
}

const unsafe = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
