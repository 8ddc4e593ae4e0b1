/** More of a server's text than this helps nobody and fills a log line. */
const MAX_LENGTH = 300;

/** Text of a server made fit for one line of a message: no control characters, bounded. */
export function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
