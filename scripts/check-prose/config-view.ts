import { lineBreaks, stringText } from "./prose-text.ts";

/** A comment of a Helm template. */
const TEMPLATE = String.raw`\{\{-? ?/\*(?<template>[\s\S]*?)\*/ ?-?\}\}`;
const DOUBLE = String.raw`"(?<string>(?:[^"\\\n]|\\.)*)"`;
const SINGLE = String.raw`'[^'\n]*'`;
const COMMENT = String.raw`(?<=^|\s)#+(?<comment>[^\n]*)`;
/** A value of YAML without quotes: `description: The address of the vault`. */
const SCALAR = String.raw`(?<=^[ -]*[\w-]+: )(?<scalar>[A-Za-z][^"\n#{}]*)$`;

/** One piece of a file, in the order in which its reader would try them. */
const pieces = new RegExp([TEMPLATE, COMMENT, SCALAR, DOUBLE, SINGLE].join("|"), "gm");

/** A directive to a program that reads the file. */
const directive = /^!|^ (?:syntax=|shellcheck )/;

/**
 * The prose of a file with `#` comments as Markdown: a shell script, YAML, a Makefile, TOML, a Helm
 * template. It has the comments, and the texts of four words and more. Each stays on its line.
 */
export function configView(source: string): string {
  let view = "";
  let end = 0;
  for (const { 0: text, index, groups = {} } of source.matchAll(pieces)) {
    const before = source.slice(end, index);
    view += lineBreaks(before);
    end = index + text.length;
    const isAfterCode = /\S[^\n]*$/.test(source.slice(source.lastIndexOf("\n", index) + 1, index));
    view += proseOf(text, groups, isAfterCode);
  }
  return `${view}${lineBreaks(source.slice(end))}`;
}

type Groups = Readonly<Record<string, string | undefined>>;

function proseOf(text: string, groups: Groups, isAfterCode: boolean): string {
  const { template, comment, scalar, string } = groups;
  if (template !== undefined) return `${template.replace(/(?<=\w)(?=\s*$)/, "!")} `;
  if (comment !== undefined) return commentText(comment, isAfterCode);
  const inner = scalar ?? string;
  return inner === undefined ? lineBreaks(text) : stringText(inner);
}

/** A comment after code is a separate sentence. Other comments may go on in the next line. */
function commentText(comment: string, isAfterCode: boolean): string {
  if (directive.test(comment)) return "";
  // Indented lines are commands, or rows of a table.
  const text = comment
    .replace(/^ (?:-- )?/, "")
    .replace(/^ {2,}/, "- ")
    .trimEnd();
  return isAfterCode && /\w$/.test(text) ? `${text}! ` : `${text} `;
}
