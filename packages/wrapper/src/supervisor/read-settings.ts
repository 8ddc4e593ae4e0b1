import { type EnvironmentEntry, valueText } from "@svc/kernel";
import { type Problem, problem } from "@svc/settings";
import { tokenVariable } from "../processes/take-token.ts";
import {
  isWrapperVariable,
  parseSettings,
  resemblesWrapperVariable,
  type SettingsResult,
} from "../settings.ts";
import type { CommandLine } from "./command-line.ts";

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
    if (!resemblesWrapperVariable(name) || name === tokenVariable || texts.has(name)) continue;
    if (!isWrapperVariable(name)) {
      // Only its name is looked at: it may be a misspelt one of ours.
      texts.set(name, "");
      continue;
    }
    try {
      texts.set(name, valueText(entry));
    } catch {
      problems.push(problem({ variable: name, wanted: "UTF-8 text", found: "other bytes" }));
    }
  }
  const program = programWords.map((word) => new TextDecoder().decode(word));
  const result = parseSettings({ environment: texts, flags, program, tokenPresent });
  if (problems.length === 0) return result;
  if (result.kind !== "settings" && result.kind !== "problems") return result;
  const others = result.kind === "problems" ? result.problems : [];
  return { kind: "problems", problems: [...problems, ...others] };
}
