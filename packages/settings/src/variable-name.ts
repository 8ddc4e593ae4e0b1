import { accepted, type Parsed, refused } from "./parsed.ts";
import { isPlain } from "./plain-text.ts";

/**
 * Why a text cannot be the name of a variable, as it reads after "the name"; undefined if it can.
 *
 * An entry of the environment ends its name at the first `=` and itself at NUL (environ(7)). Other
 * control characters, and text that is not Unicode, would forge lines wherever names are shown.
 * Everything else is a name: Kubernetes allows it too (docs/decisions/0056).
 */
export function variableNameProblem(text: string): string | undefined {
  if (text === "") return "is empty";
  if (text.includes("=")) return "holds =";
  return isPlain(text) ? undefined : "holds a control character, or half of a surrogate pair";
}

/** Parses the name of a variable in a list or map, in which `*` stands for names of fields. */
export function parseVariableName(text: string): Parsed<string> {
  if (variableNameProblem(text) === undefined && !text.includes("*")) return accepted(text);
  return refused("a variable name of printable characters without = and *");
}
