import type { SourceFile } from "./source-file.ts";

const MOST_LINES = 60;

/** A line that begins the body of a function: the formatter puts nothing behind its brace. */
const bodies = /(?:=> |\bfunction\b.*|\)(?:: .*)? )\{$/;
/** Blocks whose first line looks the same. */
const otherBlocks = /^\s*(?:\} )?(?:if|else|for|while|switch|catch|with|class|do|try)\b/;

/**
 * Functions of more than 60 lines, from the first line of the signature to the closing brace. The
 * formatter's indentation tells where they end. Biome's rule for this counts neither comments nor
 * the signature.
 */
export function longFunctions({ text }: SourceFile): readonly string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    if (!bodies.test(line)) return [];
    const first = signatureStart(lines, at);
    const length = bodyEnd(lines, at) - first + 1;
    if (length <= MOST_LINES || otherBlocks.test(lines[first] ?? "")) return [];
    return [`has a function of ${length} lines at line ${first + 1}: at most ${MOST_LINES}`];
  });
}

/** The last line of a long signature has the indentation of its first one. */
function signatureStart(lines: readonly string[], end: number): number {
  const last = lines[end] ?? "";
  if (!/^\s*[)}\]]/.test(last)) return end;
  return lines.findLastIndex((line, at) => at < end && indentOf(line) <= indentOf(last));
}

/** Lines of a text may be indented less. */
function bodyEnd(lines: readonly string[], start: number): number {
  const close = `${" ".repeat(indentOf(lines[start] ?? ""))}}`;
  return lines.findIndex((line, at) => at > start && line.startsWith(close));
}

/** An empty line is within all that is around it. */
function indentOf(line: string): number {
  return line.trim() === "" ? Number.POSITIVE_INFINITY : line.search(/\S/);
}
