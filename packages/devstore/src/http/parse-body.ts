import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { refuse } from "../model/errors.ts";

/** The largest request body in bytes: OpenBao's `max_request_size`. */
export const MAX_BODY_BYTES = 33_554_432;

/** The most strings in one body, keys counted: OpenBao's `max_request_json_strings`. */
export const MAX_BODY_STRINGS = 1000;

/** The fields of a request body: a JSON object, or a form; an empty body has none. */
export function parseBody(text: string, contentType: string): JsonObject {
  if (text.trim() === "") return {};
  if (isForm(text, contentType)) return Object.fromEntries(new URLSearchParams(text));
  const value = decode(text);
  if (value === null) return {};
  if (!isJsonObject(value)) return refuse(400, `${FAILED}${WRONG_KIND(goKind(value))}`);
  if (countStrings(value) > MAX_BODY_STRINGS) return refuse(400, TOO_COMPLEX);
  return value;
}

const FAILED = "failed to decode JSON input: ";
const TOO_COMPLEX = "refused JSON input due to high complexity: exceeded maximum number of strings";
const WRONG_KIND = (kind: string): string =>
  `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;

function isForm(text: string, contentType: string): boolean {
  return contentType.startsWith("application/x-www-form-urlencoded") && !/^[[{]/.test(text);
}

function decode(text: string): JsonValue {
  try {
    return JSON.parse(text, refuseHugeNumbers);
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(400, `${FAILED}${syntaxProblem(text)}`);
    throw error;
  }
}

/** `JSON.parse` makes `1e400` infinite without a word; Go refuses it, and so do we. */
function refuseHugeNumbers(
  _key: string,
  value: JsonValue,
  context?: { readonly source?: string },
): JsonValue {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return refuse(
    400,
    `${FAILED}json: cannot unmarshal number ${context?.source} into Go value of type float64`,
  );
}

/** Go's text for the two common cases; the rest only says that it is not JSON. */
function syntaxProblem(text: string): string {
  const first = text.trimStart().charAt(0);
  if (!/[{["\dtfn-]/.test(first))
    return `invalid character '${first}' looking for beginning of value`;
  return /[}\]"]\s*$/.test(text) ? "invalid JSON text" : "unexpected EOF";
}

function goKind(value: JsonValue): string {
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : typeof value;
}

function countStrings(value: JsonValue): number {
  if (typeof value === "string") return 1;
  if (Array.isArray(value))
    return value.reduce((sum: number, item: JsonValue) => sum + countStrings(item), 0);
  if (!isJsonObject(value)) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + 1 + countStrings(item), 0);
}
