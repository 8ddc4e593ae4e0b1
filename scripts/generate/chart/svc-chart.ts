import { version } from "../../../packages/protocol/src/index.ts";
import type { GeneratedFile } from "../generated-file.ts";
import { svcConfigText } from "../svc-config-definition.ts";
import { svcPolicyFiles } from "../svc-policy-definition.ts";
import { agentValues, agentVariables } from "./agent-values.ts";
import { chartFile } from "./chart-file.ts";
import { chartReadme } from "./chart-readme.ts";
import type { ValueGroup } from "./chart-value.ts";
import { jsonText } from "./json-text.ts";
import { operatorArguments, operatorSettingGroups } from "./operator-settings.ts";
import { operatorValues } from "./operator-values.ts";
import { platformValues } from "./platform-values.ts";
import { registryValues } from "./registry-values.ts";
import { secretstoreValues } from "./secretstore-chart.ts";
import { svcIntroduction } from "./svc-readme.ts";
import { anything, yesOrNo } from "./value-schemas.ts";
import { valuesSchema } from "./values-schema.ts";
import { valuesText } from "./values-text.ts";
import { webhookValues } from "./webhook-values.ts";

const folder = "deploy/charts/svc";

const whole: readonly ValueGroup[] = [
  {
    title: "Definitions",
    values: [
      {
        path: "definitions.create",
        default: true,
        schema: yesOrNo,
        meaning:
          "Makes and upgrades the definitions of SvcConfig and SvcPolicy, which outlive the release.",
      },
    ],
  },
  {
    title: "Store",
    values: [
      {
        path: "secretstore.enabled",
        default: false,
        schema: yesOrNo,
        meaning:
          "Initialises a Vault or OpenBao by a Job after each installation and upgrade. Its values are those of the chart svc-secretstore, below `secretstore`.",
      },
    ],
  },
];

/** Every value of the chart `svc`, in the order of values.yaml. */
export const svcValues: readonly ValueGroup[] = [
  { title: "Images", values: registryValues },
  { title: "Platform", values: platformValues },
  ...operatorValues.first,
  ...operatorSettingGroups(),
  ...operatorValues.last,
  ...webhookValues,
  ...agentValues,
  ...whole,
];

/** The files of the chart that are made from the programs' settings. */
export const svcChart: readonly GeneratedFile[] = [
  { path: `${folder}/Chart.yaml`, render: chart },
  { path: `${folder}/values.yaml`, render: () => valuesText(svcValues) },
  { path: `${folder}/values.schema.json`, render: () => jsonText(schema()) },
  { path: `${folder}/files/operator-arguments.json`, render: () => jsonText(operatorArguments) },
  { path: `${folder}/files/agent-variables.json`, render: () => jsonText(agentVariables) },
  { path: `${folder}/files/svcconfigs.yaml`, render: svcConfigText },
  ...svcPolicyFiles(`${folder}/files`),
  { path: `${folder}/README.md`, render: () => chartReadme(svcIntroduction, svcValues) },
];

function chart(): string {
  return chartFile({
    name: "svc",
    description: "Gives pods that ask for it their secrets, by an admission webhook",
    keywords: ["secrets", "vault", "openbao", "webhook", "injection", "ebpf"],
    kubernetes: {
      version: "1.30.0",
      why: "matchConditions of webhooks, which are stable since then.",
    },
    more: `dependencies:
  # In charts/, as a link: there is nothing to fetch.
  - name: svc-secretstore
    alias: secretstore
    version: ${version}
    condition: secretstore.enabled
`,
  });
}

/** Helm judges the dependency's values by its own schema only if it is enabled. */
function schema() {
  const dependency = secretstoreValues.map(({ title, values }) => ({
    title,
    values: values.map((value) => ({ ...value, path: `secretstore.${value.path}` })),
  }));
  const global = { path: "secretstore.global", default: {}, schema: anything, meaning: "Helm's." };
  return valuesSchema("svc", [...svcValues, ...dependency, { title: "", values: [global] }]);
}
