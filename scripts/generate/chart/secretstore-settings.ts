import { bootstrapVariables } from "../../../packages/bootstrap/src/index.ts";
import type { Variable } from "../../../packages/settings/src/index.ts";
import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { settingGroups } from "./setting-value.ts";

/**
 * The settings that the command reads from its environment; the others exist on the command line
 * only.
 */
export const chartSettings: readonly Variable[] = Object.values(bootstrapVariables).filter(
  ({ flagOnly }) => !flagOnly,
);

/** A value for each setting of `svc secretstore init`. */
export function secretstoreSettings(): readonly ValueGroup[] {
  const groups = settingGroups(chartSettings, { parent: "settings", structured: false });
  return groups.map(({ title, values }) => ({ title, values: values.map(withNamespace) }));
}

function withNamespace(value: ChartValue): ChartValue {
  if (value.sets !== "STORE_NAMESPACE") return value;
  const meaning = `${value.meaning} Empty: that of the Helm release.`;
  return { ...value, meaning, required: false };
}
