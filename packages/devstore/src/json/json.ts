/** A value as JSON knows it. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object: the fields of a secret, or the body of a request. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** True for an object, false for null, arrays and scalars. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
