import type { SecretJson } from "@svc/secret-bytes";

/** A JSON value that was opened. Numbers are as ECMAScript has them. */
export type OpenedJson =
  | string
  | number
  | boolean
  | null
  | readonly OpenedJson[]
  | { readonly [key: string]: OpenedJson };

/** Opens all of a JSON value: the configuration of a store, never a secret that is delivered. */
export function openJson(json: SecretJson): OpenedJson {
  switch (json.kind) {
    case "object":
      return Object.fromEntries(
        json.keys().flatMap((key) => {
          const member = json.member(key);
          return member === undefined ? [] : [[key, openJson(member)]];
        }),
      );
    case "array":
      return json.items().map(openJson);
    case "string":
      return json.open();
    case "number":
      return Number(json.open());
    case "boolean":
      return json.open() === "true";
    case "null":
      return null;
  }
}

/** Whether a value is a JSON object: not null, not an array. */
export function isJsonObject(
  value: OpenedJson | undefined,
): value is { readonly [key: string]: OpenedJson } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
