import { parseDurationMs } from "../json/go-duration.ts";
import { goJson } from "../json/go-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { DevStoreError, refuse } from "../model/errors.ts";

/**
 * Readers of the fields of a request, as loose as OpenBao's field schema (`"3"` is a number,
 * `"a,b"` a list) and with its texts if a field cannot be read. Absent and null are both
 * `undefined`.
 */
export function integerField(body: JsonObject, name: string): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const number = typeof value === "boolean" ? Number(value) : toInteger(value);
  if (number === undefined) refuse(400, badField(name, notA("int", "ParseInt")));
  return number;
}

/** A true/false field; also reads `"true"`, `1` and their kin. */
export function booleanField(body: JsonObject, name: string): boolean | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  const text = String(value).toLowerCase();
  if (["1", "t", "true"].includes(text)) return true;
  if (["0", "f", "false", ""].includes(text)) return false;
  return refuse(400, badField(name, notA("bool", "ParseBool")));
}

/** A text field; numbers and booleans become their text. */
export function stringField(body: JsonObject, name: string): string | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  return typeof value === "object"
    ? refuse(400, badField(name, mapText("string", value)))
    : String(value);
}

/** A list of texts: an array, or text with commas. */
export function stringListField(body: JsonObject, name: string): readonly string[] | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (Array.isArray(value))
    return value.map((item: JsonValue) => (typeof item === "string" ? item : goJson(item)));
  return String(value)
    .split(",")
    .filter((item) => item !== "");
}

/** An object field. */
export function objectField(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || isJsonObject(value)) return value;
  return refuse(400, badField(name, mapText("map[string]interface {}", value)));
}

/** A duration in milliseconds: seconds as a number, or Go duration text. */
export function durationMsField(body: JsonObject, name: string): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const text = typeof value === "number" ? value : String(value);
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined) refuse(400, badField(name, `time: invalid duration "${text}"`));
  if (durationMs < 0) refuse(400, badField(name, `cannot provide negative value '${text}'`));
  return durationMs;
}

/** Version numbers: an array or text with commas. */
export function versionsField(body: JsonObject): readonly number[] {
  const items = stringListField(body, "versions") ?? [];
  return items.map((item, index) => {
    const number = toInteger(item);
    if (number !== undefined) return number;
    const reason = `'[${index}]' cannot parse value as 'int': strconv.ParseInt: invalid syntax`;
    const list = `decoding failed due to the following error(s):\n\n${reason}`;
    return refuse(400, badField("versions", list));
  });
}

/** Runs a reader whose field OpenBao checks before its handler: the text then says so in front. */
export function validated<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DevStoreError)) throw error;
    return refuse(error.status, `Field validation failed: ${error.message}`);
  }
}

/** An integer out of a number or digits; undefined for anything else. */
export function toInteger(value: JsonValue): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  if (value === "") return 0;
  return /^[+-]?\d+$/.test(value) ? Number(value) : undefined;
}

function badField(name: string, reason: string): string {
  return `error converting input for field "${name}": ${reason}`;
}

function notA(type: string, parser: string): string {
  return `'' cannot parse value as '${type}': strconv.${parser}: invalid syntax`;
}

function mapText(wanted: string, value: JsonValue): string {
  const inner = Array.isArray(value) && value.length > 0 ? value[0] : value;
  const where = inner === value ? "''" : "'[0]'";
  return `${where} expected type '${wanted}', got unconvertible type '${goType(inner ?? null)}'`;
}

function goType(value: JsonValue): string {
  if (typeof value === "number") return "json.Number";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map[string]interface {}";
}
