import { accepted, type Parser, parseList, refused } from "@svc/settings";

/**
 * A parser for a role's bindings: `*` alone for everything, or names between commas.
 * The value has no name twice.
 */
export function parseBoundNames(parseName: Parser<string>): Parser<readonly string[]> {
  const parseNames = parseList(parseBoundName(parseName));
  return (text) => {
    if (text.trim() === "*") return accepted(["*"]);
    const names = parseNames(text);
    return names.ok ? accepted([...new Set(names.value)]) : names;
  };
}

/** The server refuses `*` beside names, and reads a `*` within a name as a pattern. */
function parseBoundName(parseName: Parser<string>): Parser<string> {
  return (text) => {
    if (text === "*") return refused("* alone, or a list without it");
    return text.includes("*") ? refused("* alone, or whole names") : parseName(text);
  };
}
