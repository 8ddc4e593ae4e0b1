import type { SecretBytes } from "@svc/secret-bytes";
import { variableNameProblem } from "@svc/settings";
import { type Failure, failure } from "../errors.ts";
// Not through settings.ts: the courier has no use for the tables, and loading them takes time.
import { isReservedVariable } from "../settings/wrapper-variable.ts";
import type { SecretMapping, SecretSource } from "../settings.ts";
import type { ReadSecret, SourceOutcome } from "./source-outcome.ts";

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
  outcomes: readonly SourceOutcome[],
  failures: Failure[],
): readonly MappedField[] {
  return sources.flatMap((source, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined || !outcome.ok) return [];
    const read = { ...outcome.secret, path: source.path, failures };
    return source.mappings.flatMap((mapping) => apply(mapping, read));
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

/** A secret whose fields are mapped; mismatches go to `failures`. */
interface Mapped extends Pick<ReadSecret, "path" | "fields" | "whole"> {
  readonly failures: Failure[];
}

function apply(mapping: SecretMapping, read: Mapped): readonly MappedField[] {
  switch (mapping.kind) {
    case "field":
      return one(mapping.field, mapping.variable, read);
    case "every":
      return [...read.fields.keys()].flatMap((field) => every(field, mapping.prefix, read));
    case "sole":
      return one(soleField(read.fields), mapping.variable, read);
  }
}

function one(
  field: string,
  variable: string,
  { path, fields, whole, failures }: Mapped,
): readonly MappedField[] {
  const all = whole?.field === field ? whole.value : undefined;
  const value = fields.has(field) ? fields.get(field) : all;
  if (value !== undefined) return [{ path, field, variable, value }];
  const message = `deliver ${variable}: ${path} has no field "${field}": ${fieldNames(fields)}`;
  failures.push(failure("FIELD_MISSING", message, missingHint(variable, fields, whole)));
  return [];
}

function missingHint(
  variable: string,
  fields: Fields,
  whole: ReadSecret["whole"],
): string | undefined {
  if (fields.has(variable)) return "the field stands first: field=VARIABLE";
  if (whole === undefined) return undefined;
  return `the file is a JSON object: all of it is the field ${shown(whole.field)}`;
}

function every(
  field: string,
  prefix: string,
  { path, fields, failures }: Mapped,
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
