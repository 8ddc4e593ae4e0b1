import { isIdentifier } from "./identifier.ts";
import { accepted, type Parsed, refused } from "./parsed.ts";
import { decodePercent } from "./percent-codes.ts";
import { isPlain } from "./plain-text.ts";
import { parseVariableName } from "./variable-name.ts";

/** One field of a secret, delivered under its own name. */
export interface FieldMapping {
  readonly kind: "field";
  readonly field: string;
  readonly variable: string;
}

/** Every field of a secret, delivered under the prefix followed by the field's name. */
export interface EveryMapping {
  readonly kind: "every";
  /** Empty for the bare names of the fields. */
  readonly prefix: string;
}

/** One item of an environment map. */
export type Mapping = FieldMapping | EveryMapping;

/**
 * Parses `field=VARIABLE`, `*=PREFIX_*` or `*=*`. A field may hold `=`, a variable may not. In a
 * field, `%2C %3B %23 %3F %2A %25` mean `, ; # ? * %`.
 */
export function parseMapping(text: string): Parsed<Mapping> {
  const equals = text.lastIndexOf("=");
  const field = text.slice(0, Math.max(equals, 0)).trim();
  const variable = text.slice(equals + 1).trim();
  if (equals === -1 || field === "" || variable === "") return incomplete(variable);
  // A line break for a comma would make one odd field out of two mappings.
  if (!isPlain(field)) return refused("a mapping of a field without control characters");
  if (field === "*") return parseEvery(variable);
  const decoded = decodePercent(field);
  if (!decoded.ok) return decoded;
  const name = parseVariableName(variable);
  if (name.ok) return accepted({ kind: "field", field: decoded.value, variable });
  const details = variable.endsWith("*") ? { hint: "every field of a secret is *=PREFIX_*" } : {};
  return refused(`a mapping to ${name.wanted}`, details);
}

function incomplete(name: string): Parsed<Mapping> {
  const variable = name.toUpperCase().replace(/[^A-Z0-9_]/g, "_");
  const usable = name.length <= 40 && isIdentifier(variable);
  const hint = "for , or ; in the name of a field write %2C or %3B";
  return refused("a mapping field=VARIABLE", {
    hint: usable ? `write ${name}=${variable}; ${hint}` : hint,
  });
}

function parseEvery(target: string): Parsed<Mapping> {
  const prefix = target.slice(0, -1);
  if (target.endsWith("*") && (prefix === "" || parseVariableName(prefix).ok)) {
    return accepted({ kind: "every", prefix });
  }
  return refused("a mapping of every field, *=PREFIX_* or *=*", {
    hint: "the * on the right stands for the name of the field",
  });
}
