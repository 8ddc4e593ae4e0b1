import type { ParsedFile, SecretsProblem } from "./parsed-file.ts";

/**
 * Parses a `.env` text by the rules of docs/decisions/0057. Problems tell lines and repeat nothing
 * of the text: if a quote is missing, a piece of a secret stands in the place of a name.
 */
export function parseDotenv(text: string): ParsedFile {
  const source = text.replace(/\r\n|\r$/g, "\n");
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  const problems: SecretsProblem[] = [];
  let nextLine = 1;
  for (let offset = 0; offset < source.length; ) {
    const entry = readEntry(source, offset);
    const line = nextLine;
    nextLine += newlinesIn(source.slice(offset, entry.end));
    offset = entry.end;
    if (entry.kind === "nothing") continue;
    const message = entry.kind === "problem" ? entry.message : repeated(lines.get(entry.key));
    if (message !== undefined) problems.push({ line, message });
    if (entry.kind !== "value" || lines.has(entry.key)) continue;
    lines.set(entry.key, line);
    values.set(entry.key, entry.value);
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: Object.fromEntries(values) };
}

function repeated(line: number | undefined): string | undefined {
  return line === undefined ? undefined : `the name: is set in line ${line} already`;
}

/** The token at one position of the text; `end` is the start of the next one. */
type Entry =
  | { readonly kind: "nothing"; readonly end: number }
  | { readonly kind: "problem"; readonly end: number; readonly message: string }
  | { readonly kind: "value"; readonly end: number; readonly key: string; readonly value: string };

const BLANK_OR_COMMENT = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** Letters and digits of any script: dotenv's names and those of Compose. */
const NAME = /[ \t]*(?:export[ \t]+)?([\p{L}\p{N}_.-]+)[ \t]*=/uy;
const QUOTE = /[ \t]*(["']?)/y;
const DOUBLE_QUOTED = /[ \t]*"((?:[^"\\]|\\[\s\S])*)"/y;
const SINGLE_QUOTED = /[ \t]*'([^']*)'/y;
/** Nothing before a comment, else all up to a comment or the end of the line. */
const UNQUOTED = /[ \t]+(?=#)|[ \t]*([^\n]*?)(?=[ \t]+#|[ \t]*(?:\n|$))/y;

function readEntry(source: string, offset: number): Entry {
  const blank = matchAt(BLANK_OR_COMMENT, source, offset);
  if (blank !== undefined) return { kind: "nothing", end: blank.end };
  const name = matchAt(NAME, source, offset);
  if (name === undefined) {
    return problem(source, offset, "the line: must be NAME=VALUE or a comment");
  }
  const value = readValue(source, name.end);
  if (value === undefined) return problem(source, name.end, "the value: its quote is not closed");
  const rest = matchAt(BLANK_OR_COMMENT, source, value.end);
  if (rest === undefined) {
    return problem(source, value.end, "the value: has text behind its closing quote");
  }
  if (value.text.includes("\0")) return problem(source, rest.end - 1, "the value: has a NUL byte");
  return { kind: "value", end: rest.end, key: name.text, value: value.text };
}

function readValue(source: string, offset: number): Matched | undefined {
  const quote = matchAt(QUOTE, source, offset)?.text;
  if (quote === "'") return matchAt(SINGLE_QUOTED, source, offset);
  if (quote !== '"') return matchAt(UNQUOTED, source, offset);
  const quoted = matchAt(DOUBLE_QUOTED, source, offset);
  return quoted && { ...quoted, text: withoutEscapes(quoted.text) };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "\\": "\\",
  $: "$",
};

function withoutEscapes(text: string): string {
  return text.replace(/\\([\s\S])/g, (whole, character: string) => ESCAPES[character] ?? whole);
}

/** A problem ends at the end of its line, so that the lines after it are still checked. */
function problem(source: string, offset: number, message: string): Entry {
  const newline = source.indexOf("\n", offset);
  return { kind: "problem", end: newline === -1 ? source.length : newline + 1, message };
}

interface Matched {
  readonly text: string;
  readonly end: number;
}

function matchAt(pattern: RegExp, source: string, offset: number): Matched | undefined {
  pattern.lastIndex = offset;
  const match = pattern.exec(source);
  return match === null ? undefined : { text: match[1] ?? "", end: offset + match[0].length };
}

function newlinesIn(text: string): number {
  return text.split("\n").length - 1;
}
