import { Secret } from "../values/secret.ts";
import type { BodyPart } from "./transport.ts";

/** A member of a request's body. */
export type JsonMember =
  | string
  | number
  | boolean
  | Secret
  | readonly string[]
  | Readonly<Record<string, string>>
  | readonly Readonly<Record<string, string | number>>[]
  | undefined;

/**
 * A JSON object as the parts of a body: a secret in it stays closed until it is sent. Members that
 * are undefined are left out. Pure.
 */
export function jsonBody(members: Readonly<Record<string, JsonMember>>): readonly BodyPart[] {
  const parts = Object.entries(members).flatMap(([name, value]) => partsOf(name, value));
  return ["{", ...parts.slice(1), "}"];
}

/** Behind a comma, which the first one loses. */
function partsOf(name: string, value: JsonMember): readonly BodyPart[] {
  if (value === undefined) return [];
  const key = `${JSON.stringify(name)}:`;
  return value instanceof Secret
    ? [",", `${key}"`, value.bytes, '"']
    : [",", `${key}${JSON.stringify(value)}`];
}
