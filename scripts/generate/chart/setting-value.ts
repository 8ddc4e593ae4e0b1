import { choicesOf, flagOf, type Variable } from "../../../packages/settings/src/index.ts";
import type { ChartValue, Json, Schema, ValueGroup } from "./chart-value.ts";
import { item, listOfTexts, quantities, texts } from "./value-schemas.ts";

/**
 * A value for each row of a program's table, grouped as the table is. It is named as the flag is,
 * in camel case, under the name in `parent`. Lists and maps are YAML's if `structured` is true,
 * else texts as the program takes them.
 */
export function settingGroups(
  rows: readonly Variable[],
  place: SettingPlace,
): readonly ValueGroup[] {
  const titles = [...new Set(rows.map(({ group }) => group))];
  return titles.map((title) => ({
    title,
    values: rows.filter(({ group }) => group === title).map((row) => settingValue(row, place)),
  }));
}

/** The place of settings among the values. */
export interface SettingPlace {
  readonly parent: string;
  readonly structured: boolean;
}

/** The name of a setting's value, without its parent. */
export function settingName(row: Variable): string {
  const words = flagOf(row) ?? row.name.toLowerCase().replaceAll("_", "-");
  return words.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function settingValue(row: Variable, { parent, structured }: SettingPlace): ChartValue {
  return {
    path: `${parent}.${settingName(row)}`,
    default: structured ? structuredDefault(row) : plainDefault(row),
    schema: structured ? structuredSchema(row) : plainSchema(row),
    meaning: structured ? structuredMeaning(row) : row.meaning,
    sets: row.name,
    required: row.requiredness === "yes",
  };
}

/** Nothing, which the program takes for its own default, is an empty text. */
function plainDefault({ type, default: text = "" }: Variable): Json {
  if (text === "") return "";
  if (type === "number" || type === "user") return Number(text);
  return type === "boolean" ? text === "true" : text;
}

/** The program checks the exact form of a value. Here only mistakes of YAML are refused. */
function plainSchema({ type, default: text, parse }: Variable): Schema {
  const choices = choicesOf(parse);
  // An empty text leaves the choice to the program.
  if (choices !== undefined) return { enum: ["", ...choices] };
  const nothing = text === undefined ? ["string"] : [];
  switch (type) {
    case "number":
      return { type: ["integer", ...nothing] };
    case "boolean":
      return { type: ["boolean", ...nothing] };
    case "list":
      return { type: ["string", "array"], items: { type: "string" } };
    default:
      return { type: "string" };
  }
}

function structuredDefault(row: Variable): Json {
  const { type, default: text = "" } = row;
  switch (type) {
    case "list":
      return text === "" ? [] : text.split(",");
    case "map":
    case "quantities":
      return text === "" || text === "none" ? {} : entries(text);
    case "words":
      return text === "" ? [] : words(row, text);
    default:
      return plainDefault(row);
  }
}

function entries(text: string): Json {
  return Object.fromEntries(text.split(",").map((entry) => entry.split("=", 2)));
}

function words(row: Variable, text: string): Json {
  const parsed: unknown = JSON.parse(text);
  if (Array.isArray(parsed) && parsed.every((word) => typeof word === "string")) return parsed;
  throw new TypeError(`default of ${row.name}: must be a JSON array of words: it is not`);
}

/** The row says how the program's text is written. */
function structuredMeaning({ type, meaning }: Variable): string {
  switch (type) {
    case "map":
      return `${meaning} Here it is a map, whose values may be lists.`;
    case "quantities":
      return `${meaning} Here it is a map: a name with \`null\` takes a default away, and an empty one is \`none\`.`;
    case "words":
      return `${meaning} Here it is a list.`;
    default:
      return meaning;
  }
}

function structuredSchema(row: Variable): Schema {
  switch (row.type) {
    case "list":
      return listOfTexts;
    case "map":
      return { ...texts, additionalProperties: { anyOf: [item, listOfTexts] } };
    case "quantities":
      return quantities;
    case "words":
      return { type: "array", items: { type: "string" } };
    case "user":
      return { anyOf: [{ type: "integer", minimum: 1 }, { const: "none" }] };
    case "duration":
      // The chart reckons with it, and Helm's own message for a bad one does not say which value it
      // is.
      return { type: "string", pattern: "^((\\d+(\\.\\d+)?(ns|us|µs|ms|s|m|h))+|0)?$" };
    default:
      return plainSchema(row);
  }
}
