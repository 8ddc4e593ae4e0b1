import { looksLikeJson } from "@svc/settings";
import { complain, hasFailed, type Reading } from "./reading.ts";
import type { ProgramSettings } from "./wrapper-settings.ts";

/** The command: the words after `--`, else SVC_ORIGINAL_CMD with SVC_ORIGINAL_ARGS. */
export function readProgram(
  reading: Reading,
  wordsAfterDashes: readonly string[],
): ProgramSettings | undefined {
  if (wordsAfterDashes.length > 0) return { kind: "arguments" };
  warnAboutQuotes(reading, "originalCommand", "SVC_ORIGINAL_CMD");
  warnAboutQuotes(reading, "originalArguments", "SVC_ORIGINAL_ARGS");
  if (hasFailed(reading, "originalCommand")) return undefined;
  const { originalCommand = [], originalArguments = [] } = reading.values;
  const program = originalCommand[0] ?? "";
  if (program !== "")
    return { kind: "variables", words: [...originalCommand, ...originalArguments] };
  return complain(reading, {
    variable: "SVC_ORIGINAL_CMD",
    wanted: "set to a program, or a program given after --",
    found: reading.given.has("originalCommand") ? "it names none" : "it is not set",
    hint: "svc-wrapper --vault-addr=URL --secrets=KEY -- PROGRAM ARGUMENT...",
  });
}

/**
 * The whitespace form splits inside quotes: the author hardly meant that, but the format says so.
 */
function warnAboutQuotes(
  { given, warnings }: Reading,
  key: "originalCommand" | "originalArguments",
  name: string,
): void {
  const text = given.get(key)?.text ?? "";
  if (looksLikeJson(text) || !/["'\\]/.test(text)) return;
  warnings.push(
    `${name}: quotes and backslashes mean nothing between white space: use a JSON array of strings`,
  );
}
