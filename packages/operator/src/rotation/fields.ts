import { isFields } from "../image/json-fields.ts";

/** A field of an object, or undefined: of anything else too. */
export function field(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) => (isFields(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

/** The text of a field; undefined if it is not a text, or is empty. */
export function textIn(value: unknown, ...names: readonly string[]): string | undefined {
  const found = field(value, ...names);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The whole number of a field, or a default. */
export function countIn(value: unknown, names: readonly string[], otherwise: number): number {
  const found = field(value, ...names);
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : otherwise;
}

/** The members of a list; none if it is not a list. */
export function listIn(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = field(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** A time of the API server in milliseconds since the epoch; undefined if it is not one. */
export function timeIn(value: unknown, ...names: readonly string[]): number | undefined {
  const ms = Date.parse(textIn(value, ...names) ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
