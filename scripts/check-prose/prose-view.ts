const COMMENT = String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?\*/)`;
const TEMPLATE = String.raw`(?<template>${"`"}(?:[^${"`"}\\]|\\[\s\S])*${"`"})`;
const DOUBLE = String.raw`"(?:[^"\\\n]|\\.)*"`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\.)*'`;
/** A character, so that its quote begins no string: '"' in Rust, C and Go. */
const CHARACTER = String.raw`'(?:\\.|[^'\\\n])'`;

/** One piece of a source file, in the order in which a lexer would try them. */
const pieces = new RegExp(`${COMMENT}|(?<string>${DOUBLE})|${TEMPLATE}|${CHARACTER}`, "g");
const piecesOfScript = new RegExp(`${COMMENT}|(?<string>${DOUBLE}|${SINGLE})|${TEMPLATE}`, "g");

/** Fewer words are a name, a path or a format. */
const WORDS_OF_A_SENTENCE = 4;

/**
 * The prose of a source file as Markdown: its comments, and its strings of four words and more, which
 * are test names, messages and help texts. Each text stays on its line. The rest is blank.
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
  // A template of several lines is a program or a configuration file.
  return groups["template"] === undefined || inner.includes("\n")
    ? lineBreaks(text)
    : stringText(inner.replace(/\$\{[^}]*\}/g, "X"));
}

function commentText(comment: string): string {
  if (/^\/\/(go:|nolint|\s*biome-ignore|\s*@ts-)/.test(comment)) return "";
  const lines = comment
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\*+|\/\/[/!]?|\*) ?/, "").trimEnd());
  return `${lines.join("\n").replace(/@(\w+)/g, "$1")} `;
}

function stringText(text: string): string {
  const words = text.match(/(?<![^\s([“])[A-Za-z][a-z'’-]*(?=[\s,.:;!?)\]”]|$)/g) ?? [];
  if (words.length < WORDS_OF_A_SENTENCE) return "";
  const plain = text
    .replace(/\\n/g, ". ")
    .replace(/\\(.)/g, "$1")
    // A message has parts: the attempt, the finding, and the hint in parentheses.
    .replace(/: | (?=\()/g, ". ")
    .trimEnd();
  // The end of a string ends its sentence, unless the next literal goes on with it.
  return text.endsWith(" ") || /[.?!:]$/.test(plain) ? `${plain} ` : `${plain}. `;
}

function lineBreaks(text: string): string {
  return text.replace(/[^\n]+/g, "");
}
