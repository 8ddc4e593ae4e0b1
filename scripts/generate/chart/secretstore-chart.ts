import type { GeneratedFile } from "../generated-file.ts";
import { chartReadme } from "./chart-readme.ts";
import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { jsonText } from "./json-text.ts";
import { ownValues } from "./own-values.ts";
import { settingGroups } from "./setting-values.ts";
import { valuesSchema } from "./values-schema.ts";
import { valuesText } from "./values-text.ts";

const folder = "deploy/charts/svc-secretstore";

/** Every value of the chart `svc-secretstore`, in the order of values.yaml. */
export const secretstoreValues: readonly ValueGroup[] = [
  ...ownValues.first,
  ...settingGroups(),
  ...ownValues.last,
];

/** The files of the chart that are made from the command's settings. */
export const secretstoreChart: readonly GeneratedFile[] = [
  { path: `${folder}/values.yaml`, render: () => valuesText(secretstoreValues) },
  { path: `${folder}/values.schema.json`, render: () => jsonText(valuesSchema(secretstoreValues)) },
  { path: `${folder}/files/settings.json`, render: () => jsonText(variables()) },
  { path: `${folder}/README.md`, render: () => chartReadme(secretstoreValues) },
];

/** The name of the value by the variable that it sets: what the templates read. */
function variables(): Readonly<Record<string, string>> {
  const values = secretstoreValues.flatMap(({ values }) => values);
  return Object.fromEntries(values.flatMap(pair));
}

function pair({ variable, path }: ChartValue): readonly (readonly [string, string])[] {
  return variable === undefined ? [] : [[variable, path.replace(/^settings\./, "")]];
}
