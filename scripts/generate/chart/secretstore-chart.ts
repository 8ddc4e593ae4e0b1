import type { GeneratedFile } from "../generated-file.ts";
import { chartFile } from "./chart-file.ts";
import { chartReadme } from "./chart-readme.ts";
import type { ChartValue, ValueGroup } from "./chart-value.ts";
import { jsonText } from "./json-text.ts";
import { registryValues } from "./registry-values.ts";
import { ownValues } from "./secretstore-own-values.ts";
import { secretstoreIntroduction } from "./secretstore-readme.ts";
import { secretstoreSettings } from "./secretstore-settings.ts";
import { valuesSchema } from "./values-schema.ts";
import { valuesText } from "./values-text.ts";

const folder = "deploy/charts/svc-secretstore";

/** Every value of the chart `svc-secretstore`, in the order of values.yaml. */
export const secretstoreValues: readonly ValueGroup[] = [
  { title: "Images", values: registryValues },
  ...ownValues.first,
  ...secretstoreSettings(),
  ...ownValues.last,
];

/** In the chart `svc`, which has this one as a dependency by this condition; Helm hands it on. */
const enabled: ValueGroup = {
  title: "",
  values: [
    {
      ...{ path: "enabled", default: true, schema: { const: true } },
      meaning: "For charts that have this one as a dependency.",
    },
  ],
};

/** The files of the chart that are made from the command's settings. */
export const secretstoreChart: readonly GeneratedFile[] = [
  { path: `${folder}/Chart.yaml`, render: chart },
  { path: `${folder}/values.yaml`, render: () => valuesText(secretstoreValues) },
  {
    path: `${folder}/values.schema.json`,
    render: () => jsonText(valuesSchema("svc-secretstore", [...secretstoreValues, enabled])),
  },
  { path: `${folder}/files/settings.json`, render: () => jsonText(variables()) },
  {
    path: `${folder}/README.md`,
    render: () => chartReadme(secretstoreIntroduction, secretstoreValues),
  },
];

function chart(): string {
  return chartFile({
    name: "svc-secretstore",
    description: "Initialises a Vault or OpenBao, unseals it, and sets it up for svc",
    keywords: ["secrets", "vault", "openbao", "init", "unseal"],
    kubernetes: {
      version: "1.29.0",
      why: "podReplacementPolicy of Jobs, on by default since then.",
    },
  });
}

/** The name of the value by the variable that it sets, for the templates. */
function variables(): Readonly<Record<string, string>> {
  const values = secretstoreValues.flatMap(({ values }) => values);
  return Object.fromEntries(values.flatMap(pair));
}

function pair({ sets, path }: ChartValue): readonly (readonly [string, string])[] {
  return sets === undefined ? [] : [[sets, path.replace(/^settings\./, "")]];
}
