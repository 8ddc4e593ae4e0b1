import { type Problem, problem } from "@svc/settings";

/** All but the tab and the ends of lines, which PEM and lists of YAML have. */
const control = /[^\P{Cc}\t\n\r]/u;

/**
 * A problem if a text holds a character that no variable can hold, or that does something on a
 * terminal.
 */
export function controlProblems(variable: string, text: string): readonly Problem[] {
  const [found] = control.exec(text) ?? [];
  if (found === undefined) return [];
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const wanted = "without control characters";
  return [problem({ variable, wanted, found: `it holds U+${code}` })];
}
