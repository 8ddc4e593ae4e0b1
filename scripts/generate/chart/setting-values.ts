import { bootstrapVariables } from "../../../packages/bootstrap/src/settings.ts";
import type { Variable } from "../../../packages/settings/src/index.ts";
import type { ChartValue, Json, Schema, ValueGroup } from "./chart-value.ts";

/** Under which value of the chart the settings are. */
const SETTINGS = "settings";

/** What the command is told by its environment; the rest exists on the command line only. */
export const chartSettings: readonly Variable[] = Object.values(bootstrapVariables).filter(
  ({ flagOnly }) => !flagOnly,
);

/** A value for each setting of `svc secretstore init`. It is named as the flag is, in camel case. */
export function settingGroups(): readonly ValueGroup[] {
  const titles = [...new Set(chartSettings.map(({ group }) => group))];
  return titles.map((title) => ({
    title,
    values: chartSettings.filter(({ group }) => group === title).map(settingValue),
  }));
}

/** The name of a setting's value, without what it is under. */
export function settingName({ name, flag }: Variable): string {
  const words = flag ?? name.toLowerCase().replaceAll("_", "-");
  return words.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function settingValue(row: Variable): ChartValue {
  const fromRelease = row.name === "STORE_NAMESPACE";
  return {
    path: `${SETTINGS}.${settingName(row)}`,
    default: defaultOf(row),
    schema: schemaOf(row),
    meaning: fromRelease ? `${row.meaning} Empty: that of the Helm release.` : row.meaning,
    variable: row.name,
    required: row.requiredness === "yes" && !fromRelease,
  };
}

/** Nothing, which the command takes for its own default, is an empty text. */
function defaultOf({ type, default: text = "" }: Variable): Json {
  if (text === "") return "";
  if (type === "number") return Number(text);
  return type === "boolean" ? text === "true" : text;
}

/** What a value must be exactly is the command's to say; here only what YAML can get wrong. */
function schemaOf({ type, default: text }: Variable): Schema {
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
