import { lineBreaks, stringText } from "./prose-text.ts";

const COMMENT = String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?\*/)`;
const TEMPLATE = String.raw`(?<template>${"`"}(?:[^${"`"}\\]|\\[\s\S])*${"`"})`;
const DOUBLE = String.raw`"(?:[^"\\\n]|\\.)*"`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\.)*'`;
/** A character, so that its quote begins no string: '"' in Rust, C and Go. */
const CHARACTER = String.raw`'(?:\\.|[^'\\\n])'`;

/** One piece of a source file, in the order in which a lexer would try them. */
const pieces = new RegExp(`${COMMENT}|(?<string>${DOUBLE})|${TEMPLATE}|${CHARACTER}`, "g");
const piecesOfScript = new RegExp(`${COMMENT}|(?<string>${DOUBLE}|${SINGLE})|${TEMPLATE}`, "g");

/** A directive to a tool, or a prototype of C: `// lseek(2): off_t lseek(int fd, …)`. */
const NOT_PROSE = /^\/\/(go:|nolint|\s*biome-ignore|\s*@ts-|\s*\w+\(\d\): \w+ \*?\w+\()/;

/**
 * The prose of a source file as Markdown: its comments, and its strings of four words and more,
 * which are test names, messages and help texts. Each text stays on its line. The rest is blank.
 */
export function proseView(source: string, language: "typescript" | "other" = "other"): string {
  let view = "";
  let end = 0;
  const parts = language === "typescript" ? piecesOfScript : pieces;
  for (const { 0: text, index, groups = {} } of source.matchAll(parts)) {
    view += lineBreaks(source.slice(end, index));
    end = index + text.length;
    view += proseOf(text, groups);
  }
  return `${view}${lineBreaks(source.slice(end))}`;
}

function proseOf(text: string, groups: Readonly<Record<string, string | undefined>>): string {
  if (groups["comment"] !== undefined) return commentText(text);
  const inner = text.slice(1, -1);
  if (groups["string"] !== undefined) return stringText(inner);
  if (groups["template"] === undefined) return lineBreaks(text);
  const named = inner.replace(/\$\{[^}]*\}/g, "Name");
  if (!inner.includes("\n")) return stringText(named);
  // Other templates of several lines are programs or configuration files.
  return named.startsWith("usage: ") ? named.replace(/^ +/gm, "- ") : lineBreaks(text);
}

function commentText(comment: string): string {
  if (NOT_PROSE.test(comment)) return "";
  const lines = comment
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\*+|\/\/[/!]?|\*) ?/, "").trimEnd());
  // A tag of a comment, and a row of a table of options.
  const text = lines.join("\n").replace(/^(?:@(?=\w)| {2,}(?=\S+(?: \S+)? {2,}\S))/gm, "- ");
  // A block comment ends its sentence. A line comment may go on in the next line.
  return `${comment.startsWith("//") ? text : text.replace(/(?<=\w)(?=\s*$)/, "!")} `;
}
