import { type EnvironmentEntry, valueText } from "@svc/kernel";
import { type Problem, problem } from "@svc/settings";
import { isWrapperVariable, parseSettings, type SettingsResult } from "../settings.ts";
import { tokenVariable } from "./take-token.ts";

const DASHES = "--";

/** The command line, cut at `--`. */
export interface CommandLine {
  /** Flags of the wrapper's. */
  readonly flags: readonly string[];
  /** The program and its arguments, to the byte; empty where there is no `--`. */
  readonly programWords: readonly Uint8Array[];
}

/** Cuts the words at the first `--`. */
export function cutCommandLine(words: readonly Uint8Array[]): CommandLine {
  const texts = words.map((word) => new TextDecoder().decode(word));
  const dashes = texts.indexOf(DASHES);
  if (dashes < 0) return { flags: texts, programWords: [] };
  return { flags: texts.slice(0, dashes), programWords: words.slice(dashes + 1) };
}

/** Parses the wrapper's own variables and flags; the program's variables never become strings. */
export function readSettings(
  { flags, programWords }: CommandLine,
  environment: readonly EnvironmentEntry[],
  tokenPresent: boolean,
): SettingsResult {
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  for (const entry of environment) {
    const { name } = entry;
    // getenv(3) takes the first of several.
    if (!isWrapperVariable(name) || name === tokenVariable || texts.has(name)) continue;
    try {
      texts.set(name, valueText(entry));
    } catch {
      problems.push(
        problem({ variable: name, wanted: "must be UTF-8 text", found: "other bytes" }),
      );
    }
  }
  const program = programWords.map((word) => new TextDecoder().decode(word));
  const result = parseSettings({ environment: texts, flags, program, tokenPresent });
  if (problems.length === 0 || result.kind === "help" || result.kind === "version") return result;
  const others = result.kind === "problems" ? result.problems : [];
  return { kind: "problems", problems: [...problems, ...others] };
}
