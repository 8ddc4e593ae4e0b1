import { closest } from "./closest.ts";
import { parseGoBoolean } from "./go-boolean.ts";
import { type Problem, type ProblemParts, problem } from "./problem.ts";
import { quoted } from "./quoted.ts";
import { flagOf, flagOfName, rowOfFlag, type VariableTable } from "./variable.ts";

/** The flags of a command line. */
export interface ParsedFlags {
  /** Set when help or the version was asked for; it takes precedence over all others. */
  readonly asked?: "help" | "version";
  /** Values by the name of the flag, without dashes. */
  readonly values: ReadonlyMap<string, string>;
  /** The words beside flags and their values, at most as many as the rules allow. */
  readonly words: readonly string[];
  readonly problems: readonly Problem[];
}

/** The allowed words of a command line. */
export interface FlagRules {
  readonly table: VariableTable;
  /** Flags that do not exist on purpose, each with what to do instead. */
  readonly refused: ReadonlyMap<string, { readonly wanted: string; readonly hint: string }>;
  /** What to say to a word that is not a flag. Default: the advice about programs. */
  readonly strayHint?: string;
  /** How many words may stand among the flags. Default: 0. */
  readonly mostWords?: number;
}

/**
 * Parses the words before `--`: `--flag=value`, `--flag value`, and `--flag` alone for a boolean;
 * if a row has a short flag also `-f value`, `-f=value` and `-fvalue`.
 *
 * Values of unknown and refused flags are never shown: they may be secrets.
 */
export function parseFlags(words: readonly string[], rules: FlagRules): ParsedFlags {
  const reading: Reading = { rules, problems: [], values: new Map(), words: [], strayed: false };
  for (let index = 0; index < words.length; ) {
    index += takeWord(reading, words[index] ?? "", words[index + 1]);
  }
  const { asked, values, words: taken, problems } = reading;
  return { ...(asked === undefined ? {} : { asked }), values, words: taken, problems };
}

interface Reading {
  readonly rules: FlagRules;
  readonly problems: Problem[];
  readonly values: Map<string, string>;
  readonly words: string[];
  asked?: "help" | "version";
  /**
   * After a word that is not a flag, most likely a program, later words are not judged any more.
   */
  strayed: boolean;
}

/** Takes one word, and the next one if it is the value; returns how many were taken. */
function takeWord(reading: Reading, word: string, next: string | undefined): number {
  if (word === "--help" || word === "-h") return ask(reading, "help");
  if (word === "--version" || word === "-V") return ask(reading, "version");
  if (!word.startsWith("-") || word === "-") return stray(reading, word);
  const split = splitShort(reading.rules, word) ?? splitFlag(word);
  const type = typeOfFlag(reading.rules, split.name);
  if (type !== undefined && isFlag(reading.rules, word)) {
    return takeValue(reading, { ...split, type }, next);
  }
  refuseFlag(reading, word, split.name);
  return split.inline === undefined && next !== undefined && !next.startsWith("-") ? 2 : 1;
}

function takeValue(
  reading: Reading,
  { name, inline, type }: SplitFlag & { readonly type: string },
  next: string | undefined,
): number {
  if (inline !== undefined) return keep(reading, name, { value: inline, taken: 1 });
  if (type === "boolean") return keep(reading, name, bareBoolean(next));
  if (next !== undefined && !next.startsWith("--")) {
    return keep(reading, name, { value: next, taken: 2 });
  }
  const hint = `write --${name}=VALUE`;
  const variable = `--${name}`;
  return complain(reading, { variable, wanted: valued, found: "none follows", hint });
}

const valued = "followed by a value";

function ask(reading: Reading, what: "help" | "version"): number {
  reading.asked ??= what;
  return 1;
}

function stray(reading: Reading, word: string): number {
  if (reading.strayed) return 1;
  if (reading.words.length < (reading.rules.mostWords ?? 0)) {
    reading.words.push(word);
    return 1;
  }
  reading.strayed = true;
  const { strayHint: hint = "the program and its arguments go after --" } = reading.rules;
  return complain(reading, {
    variable: quoted(word),
    wanted: "a flag",
    found: "it is not one",
    hint,
  });
}

interface SplitFlag {
  readonly name: string;
  readonly inline?: string;
}

/** `-o`, `-o=json` and `-ojson` are the flag whose short form is `o`; undefined if none is. */
function splitShort({ table }: FlagRules, word: string): SplitFlag | undefined {
  if (word.startsWith("--")) return undefined;
  const row = Object.values(table).find(({ short }) => short !== undefined && short === word[1]);
  const name = row === undefined ? undefined : flagOf(row);
  if (name === undefined) return undefined;
  const rest = word.slice(2).replace(/^=/, "");
  return rest === "" && !word.endsWith("=") ? { name } : { name, inline: rest };
}

function isFlag(rules: FlagRules, word: string): boolean {
  return word.startsWith("--") || splitShort(rules, word) !== undefined;
}

function splitFlag(word: string): SplitFlag {
  const bare = word.replace(/^--?/, "");
  const equals = bare.indexOf("=");
  if (equals === -1) return { name: bare };
  return { name: bare.slice(0, equals), inline: bare.slice(equals + 1) };
}

function typeOfFlag({ table }: FlagRules, name: string): string | undefined {
  return rowOfFlag(table, name)?.type;
}

function refuseFlag(reading: Reading, word: string, name: string): void {
  if (reading.strayed) return;
  const dashed = word.startsWith("--") ? `--${name}` : `-${name}`;
  const variable = /^-{1,2}[A-Za-z0-9_-]{1,60}$/.test(dashed) ? dashed : quoted(dashed);
  const reason = reading.rules.refused.get(name);
  if (reason !== undefined) {
    complain(reading, { variable, ...reason, found: "it was given as a flag" });
    return;
  }
  const near = nearestFlag(reading.rules, name);
  const hint = near === undefined ? "--help lists the flags" : `did you mean --${near}?`;
  complain(reading, { variable, wanted: "a known flag", found: "there is no such flag", hint });
}

function nearestFlag({ table }: FlagRules, name: string): string | undefined {
  const flags = Object.values(table).flatMap((row) => flagOf(row) ?? []);
  // A user who writes --SVC_ROTATION or --svc-rotation means the variable's name.
  const normal = flagOfName(name.toUpperCase().replaceAll("-", "_"));
  return closest(normal, [...flags, "help", "version"], Math.max(2, Math.floor(name.length / 4)));
}

function bareBoolean(next: string | undefined): FlagValue {
  const follows = next !== undefined && parseGoBoolean(next).ok;
  return follows ? { value: next, taken: 2 } : { value: "true", taken: 1 };
}

interface FlagValue {
  readonly value: string;
  readonly taken: 1 | 2;
}

function keep(reading: Reading, name: string, { value, taken }: FlagValue): number {
  const variable = `--${name}`;
  if (value === "") complain(reading, { variable, wanted: valued, found: "it is empty" });
  else if (reading.values.has(name)) {
    complain(reading, { variable, wanted: "given once", found: "it is there twice" });
  } else reading.values.set(name, value);
  return taken;
}

function complain(reading: Reading, parts: ProblemParts): number {
  reading.problems.push(problem(parts));
  return 1;
}
