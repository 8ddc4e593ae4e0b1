import { accepted, type Parsed, refused } from "./parsed.ts";

/** True for the name of a variable that every shell takes; names of settings are such. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

/** Parses the name of a setting's variable: `[A-Za-z_][A-Za-z0-9_]*`. */
export function parseIdentifier(text: string): Parsed<string> {
  if (isIdentifier(text)) return accepted(text);
  const repaired = text.replace(/[^A-Za-z0-9_]/g, "_");
  const details = isIdentifier(repaired) ? { hint: `write ${repaired}` } : {};
  return refused(
    "a variable name of letters, digits and _ that does not begin with a digit",
    details,
  );
}
