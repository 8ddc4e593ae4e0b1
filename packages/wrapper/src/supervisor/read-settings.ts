import { type EnvironmentEntry, valueBytes, valueText } from "@svc/kernel";
import { type Problem, problem } from "@svc/settings";
import { tokenVariable } from "../processes/take-token.ts";
import { isProxyVariable } from "../settings/proxy-variables.ts";
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
  const { texts, problems } = textsOf(environment);
  const program = programWords.map((word) => new TextDecoder().decode(word));
  const result = parseSettings({ environment: texts, flags, program, tokenPresent });
  if (result.kind !== "settings" && result.kind !== "problems") return result;
  const others = result.kind === "problems" ? result.problems : [];
  const all = [...problems, ...others];
  if (all.length === 0) return result;
  return { kind: "problems", problems: all.map((one) => asWritten(one, environment)) };
}

/** The texts of the wrapper's variables, and of those that warnings are about. */
function textsOf(environment: readonly EnvironmentEntry[]) {
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  for (const entry of environment) {
    const { name } = entry;
    // getenv(3) takes the first of several.
    if (name === tokenVariable || texts.has(name)) continue;
    if (isProxyVariable(name)) texts.set(name, new TextDecoder().decode(valueBytes(entry)));
    else if (isWrapperVariable(name)) setText(entry, texts, problems);
    // Only its name is looked at: it may be a misspelt one of ours.
    else if (resemblesWrapperVariable(name)) texts.set(name, "");
  }
  return { texts, problems };
}

function setText(entry: EnvironmentEntry, texts: Map<string, string>, problems: Problem[]): void {
  try {
    texts.set(entry.name, valueText(entry));
  } catch {
    problems.push(problem({ variable: entry.name, wanted: "UTF-8 text", found: "other bytes" }));
  }
}

/** Names the variable that the user has set: BAO_ADDR may stand for VAULT_ADDR. */
function asWritten(one: Problem, environment: readonly EnvironmentEntry[]): Problem {
  const { writtenAs } = environment.find(({ name }) => name === one.variable) ?? {};
  return writtenAs === undefined ? one : { ...one, message: `${writtenAs}, as ${one.message}` };
}
