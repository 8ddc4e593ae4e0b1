/**
 * The API server cuts warnings that are longer, in characters
 * (apiserver/pkg/endpoints/filters/warning.go).
 */
const LONGEST = 256;
/** The longest text of all warnings of one request; other webhooks may have some as well. */
const LONGEST_IN_ALL = 4096;

/**
 * Warnings as the API server passes them on: each in one line of at most 256 characters, together
 * at most 4096. If there are more, the last one has the number of omitted ones.
 */
export function boundedWarnings(warnings: readonly string[]): readonly string[] {
  const lines = [...new Set(warnings.map(oneLine))];
  const all = lines.reduce((sum, line) => sum + lengthOf(line), 0);
  if (all <= LONGEST_IN_ALL) return lines;
  const kept: string[] = [];
  let room = LONGEST_IN_ALL - LONGEST;
  for (const line of lines) {
    room -= lengthOf(line);
    if (room < 0) break;
    kept.push(line);
  }
  return [...kept, `${lines.length - kept.length} more warnings are left out`];
}

function oneLine(warning: string): string {
  const line = warning.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return lengthOf(line) > LONGEST ? `${[...line].slice(0, LONGEST - 1).join("")}…` : line;
}

function lengthOf(text: string): number {
  return [...text].length;
}
