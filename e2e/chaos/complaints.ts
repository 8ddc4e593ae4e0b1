import type { RecordedLine } from "./recorded-line.ts";
import type { PastValue } from "./value-history.ts";

export type RotationMode = "restart" | "sighup" | "none";

/** The record of one wrapper's program. */
export interface MemberRecord {
  readonly name: string;
  readonly mode: RotationMode;
  readonly lines: readonly RecordedLine[];
}

/** The values of the secret in the meantime. */
export interface Truth {
  readonly values: readonly PastValue[];
  /** How long a value may be on its way from the vault to the program, in milliseconds. */
  readonly windowMs: number;
}

/** Everything that a program has seen and should not have; empty for a good life. Pure. */
export function complaints({ name, mode, lines }: MemberRecord, truth: Truth): readonly string[] {
  const seen = lines.filter(({ word }) => word !== "term");
  return [
    ...seen.flatMap((line) => complaintsAboutLine(line, truth)),
    ...complaintsAboutOrder(seen, truth),
    ...complaintsAboutStarts(mode, seen, truth),
    ...complaintsAboutEnd(mode, seen, truth),
  ].map((complaint) => `${name} (${mode}): ${complaint}`);
}

/** A program never lacks values, and never has torn ones or ones that no vault had at the time. */
function complaintsAboutLine(line: RecordedLine, truth: Truth): readonly string[] {
  const { word, user, password, atMs } = line;
  if (user === "-" || password === "-") return [`${word} without its values`];
  const value = seenValue(line);
  if (password !== `${value}.password`) return [`${word} with parts of two values`];
  const past = truth.values.find((candidate) => candidate.value === value);
  if (past === undefined) return [`${word} with a value that there never was`];
  if (past.fromMs > atMs) return [`${word} with a value before it was written`];
  const lateMs = atMs - past.untilMs;
  return lateMs > truth.windowMs ? [`${word} with a value ${Math.round(lateMs)} ms too old`] : [];
}

/** Each line has a newer value than the one before: never an old one again, and no noise. */
function complaintsAboutOrder(seen: readonly RecordedLine[], { values }: Truth): readonly string[] {
  const order = seen.map((line) => values.findIndex(({ value }) => value === seenValue(line)));
  return order.flatMap((place, index) => {
    const before = order[index - 1];
    if (before === undefined || place > before) return [];
    const { word } = seen[index] ?? { word: "" };
    return [place === before ? `${word} without cause` : `${word} with an older value than before`];
  });
}

function complaintsAboutStarts(
  mode: RotationMode,
  seen: readonly RecordedLine[],
  { values }: Truth,
): readonly string[] {
  const starts = seen.filter(({ word }) => word === "start").length;
  if (seen[0]?.word !== "start") return ["never started"];
  const most = mode === "restart" ? values.length + 1 : 1;
  const excess = starts > most ? [`started ${starts} times`] : [];
  const hangups = seen.length - starts;
  return mode !== "sighup" && hangups > 0 ? [...excess, `${hangups} times SIGHUP`] : excess;
}

function complaintsAboutEnd(
  mode: RotationMode,
  seen: readonly RecordedLine[],
  { values }: Truth,
): readonly string[] {
  const last = seen.at(-1);
  if (mode === "none") return seen.length > 1 ? ["changed although nothing was to change"] : [];
  if (last === undefined || seenValue(last) === values.at(-1)?.value) return [];
  return ["has not got the last value"];
}

/** The value whose fields a line shows. */
export function seenValue({ user }: RecordedLine): string {
  return user.replace(/\.user$/, "");
}
