import { operatorFlags } from "../../../packages/operator/src/index.ts";
import type { Variable } from "../../../packages/settings/src/index.ts";
import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { settingGroups, settingName } from "./setting-value.ts";
import { unlessPlatform } from "./value-schemas.ts";

const parent = "operator.settings";

/** Flags that follow from the other values and from the names of the chart's objects. */
export const settingsFromTheChart: readonly Variable[] = [
  operatorFlags.listen,
  operatorFlags.namespace,
  operatorFlags.lease,
  operatorFlags.imageSecret,
  operatorFlags.service,
  operatorFlags.configuration,
  operatorFlags.source,
  operatorFlags.secret,
  operatorFlags.certificateFile,
  operatorFlags.keyFile,
  operatorFlags.authorityFile,
  operatorFlags.readPullSecrets,
  operatorFlags.permitsListen,
  operatorFlags.permitsSecret,
  operatorFlags.hintsAuthority,
  operatorFlags.hintsToken,
];

/** Flags that have a meaning only outside of a cluster. */
const outside: readonly Variable[] = [operatorFlags.kubeconfig, operatorFlags.context];

/** The flags that have their own values. */
export const operatorSettings: readonly Variable[] = Object.values<Variable>(operatorFlags).filter(
  (row) => !settingsFromTheChart.includes(row) && !outside.includes(row),
);

/** A value for each of them. */
export function operatorSettingGroups(): readonly ValueGroup[] {
  const groups = settingGroups(operatorSettings, { parent, structured: true });
  return groups.map(({ title, values }) => ({ title, values: values.map(byPlatform) }));
}

/** Helm does not tell a default from the same value of a user, so this default is empty. */
function byPlatform(value: ChartValue): ChartValue {
  if (value.sets !== operatorFlags.copyUser.name) return value;
  return {
    ...value,
    default: "",
    schema: unlessPlatform(value.schema),
    meaning: `${value.meaning} Empty: ${operatorFlags.copyUser.default}, or none on openshift.`,
  };
}

/**
 * The templates make arguments of these: a flag, and the value for it. `json`: a list is written as
 * JSON. `empty`: the text for an empty map or list, if that is more than nothing.
 */
export const operatorArguments = operatorSettings.map((row) => ({
  flag: row.name,
  value: settingName(row),
  ...(row.type === "words" && { json: true }),
  ...((row.type === "quantities" || row === operatorFlags.sidecars) && { empty: "none" }),
}));
