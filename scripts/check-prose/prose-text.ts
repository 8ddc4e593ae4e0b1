/** Fewer words are a name, a path or a format. */
const WORDS_OF_A_SENTENCE = 4;

/** A string as a sentence; empty if it has too few words. */
export function stringText(text: string): string {
  const words = text.match(/(?<![^\s([“])[A-Za-z][a-z'’-]*(?=[\s,.:;!?)\]”]|$)/g) ?? [];
  if (words.length < WORDS_OF_A_SENTENCE) return "";
  const plain = text
    .replace(/\\n/g, ". ")
    .replace(/\\(.)/g, "$1")
    // A message has parts: the attempt, the finding, and the hint in parentheses.
    .replace(/: | (?=\()/g, ". ")
    .trimEnd();
  // The end of a string ends its sentence, unless the next literal goes on with it. Vale sees the
  // end of a sentence in a "." only before a capital letter, and in a "!" always.
  return text.endsWith(" ") || /[.?!:]$/.test(plain) ? `${plain} ` : `${plain}! `;
}

/** The line breaks of a text, so that later lines keep their numbers. */
export function lineBreaks(text: string): string {
  return text.replace(/[^\n]+/g, "");
}
