/** More of a server's text than this is useless and fills a log line. */
const MAX_LENGTH = 300;

/**
 * Characters with which a server could forge a line of a log: control characters and line
 * separators. And marks that are invisible or turn the direction of writing (Unicode's "Trojan
 * Source", UAX #9).
 */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** Text of a server made fit for one line of a message: no control characters, bounded. */
export function cleanText(text: string): string {
  const line = text.replace(unsafe, " ").trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
