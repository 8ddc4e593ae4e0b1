import type { SecretBytes } from "@svc/secret-bytes";
import { variableNameProblem } from "@svc/settings";
import type { ReadOutcome } from "@svc/vault";
import { type Failure, failure } from "../errors.ts";
// Not through settings.ts: the courier has no use for the tables, and loading them takes time.
import { isReservedVariable } from "../settings/wrapper-variable.ts";
import type { SecretMapping, SecretSource } from "../settings.ts";

/** A field of a secret and the variable it becomes. */
export interface MappedField {
  readonly path: string;
  readonly field: string;
  readonly variable: string;
  readonly value: SecretBytes | null;
}

export type Fields = ReadonlyMap<string, SecretBytes | null>;

/** Applies every mapping to the read secrets, and adds mismatches to `failures`. */
export function mapFields(
  sources: readonly SecretSource[],
  outcomes: readonly ReadOutcome[],
  failures: Failure[],
): readonly MappedField[] {
  return sources.flatMap((source, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined || !outcome.ok) return [];
    const { fields } = outcome.secret;
    return source.mappings.flatMap((mapping) => apply(mapping, source.path, fields, failures));
  });
}

/** The names of fields, for a message; bounded, and never a value. */
export function fieldNames(fields: Fields): string {
  const names = [...fields.keys()].slice(0, 20).map(shown);
  if (names.length === 0) return "it has no fields";
  return `it has ${names.join(", ")}${fields.size > names.length ? ", …" : ""}`;
}

function shown(field: string): string {
  return JSON.stringify(field.slice(0, 80));
}

function apply(
  mapping: SecretMapping,
  path: string,
  fields: Fields,
  failures: Failure[],
): readonly MappedField[] {
  switch (mapping.kind) {
    case "field":
      return one(mapping.field, mapping.variable, { path, fields, failures });
    case "every":
      return [...fields.keys()].flatMap((field) =>
        every(field, mapping.prefix, path, fields, failures),
      );
    case "sole":
      return one(soleField(fields), mapping.variable, { path, fields, failures });
  }
}

function one(
  field: string,
  variable: string,
  { path, fields, failures }: { path: string; fields: Fields; failures: Failure[] },
): readonly MappedField[] {
  const value = fields.get(field);
  if (value !== undefined) return [{ path, field, variable, value }];
  const message = `deliver ${variable}: ${path} has no field "${field}": ${fieldNames(fields)}`;
  const hint = fields.has(variable) ? "the field stands first: field=VARIABLE" : undefined;
  failures.push(failure("FIELD_MISSING", message, hint));
  return [];
}

function every(
  field: string,
  prefix: string,
  path: string,
  fields: Fields,
  failures: Failure[],
): readonly MappedField[] {
  const variable = `${prefix}${field}`;
  const value = fields.get(field) ?? null;
  const refusal = nameRefusal(variable);
  if (refusal === undefined) return [{ path, field, variable, value }];
  const message = `deliver field ${shown(field)} of ${path}: the name ${refusal.why}`;
  failures.push(failure("VARIABLE_REFUSED", message, refusal.hint));
  return [];
}

/** Why `*` cannot deliver a field, and a way out: only a list of fields goes without this one. */
function nameRefusal(variable: string): { why: string; hint: string } | undefined {
  if (isReservedVariable(variable)) {
    return { why: "is reserved", hint: "give the names another prefix with *=PREFIX_*" };
  }
  const why = variableNameProblem(variable);
  if (why === undefined) return undefined;
  return { why, hint: "rename the field, or name the fields one by one: field=VARIABLE for *" };
}

/** A secret that is one value: its field `value`, else its only field. */
function soleField(fields: Fields): string {
  const [only] = fields.keys();
  return fields.size === 1 && only !== undefined ? only : "value";
}
