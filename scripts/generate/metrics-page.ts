import { agentMetrics, METRIC_PREFIX as agentPrefix } from "../../packages/agent/src/reference.ts";
import {
  operatorMetricTable,
  METRIC_PREFIX as operatorPrefix,
} from "../../packages/operator/src/reference.ts";
import {
  METRIC_PREFIX,
  type Metric,
  wrapperMetrics,
} from "../../packages/wrapper/src/reference.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** `docs/reference/metrics.md`, from the tables that the programs themselves render. */
export const metricsPage: GeneratedFile = {
  path: "docs/reference/metrics.md",
  render: () =>
    `${[generatedNotice, "# Metrics", ...wrapper, ...operator, ...agent].join("\n\n")}\n`,
};

const wrapper = [
  "## Wrapper",
  `\`GET /metrics\` at HEALTH_ADDR returns these as Prometheus text, format 0.0.4, also in sealed mode. Counters
count from the wrapper's start. Labels have only the values named here, except for paths of secrets, whose number is
bounded. No metric contains a value or a token. If paths are confidential, set SVC_SHOW_PATHS=false.
[Monitoring](../guides/monitoring.md) has queries.`,
  table(METRIC_PREFIX, wrapperMetrics),
];

const operator = [
  "## Operator",
  `\`GET /metrics\` at \`--listen-addr\`, by HTTPS. No label contains text from a pod or a user.`,
  table(operatorPrefix, Object.values(operatorMetricTable)),
];

const agent = [
  "## Kernel agent",
  `\`GET /metrics\` at HEALTH_LISTEN_ADDR. No label contains text from a process or a wrapper.`,
  table(agentPrefix, agentMetrics),
];

type Described = Pick<Metric, "name" | "meaning" | "labels"> & { readonly type: string };

function table(prefix: string, metrics: readonly Described[]): string {
  const rows = metrics.map(({ name, type, labels = {}, meaning }) => {
    const described = Object.entries(labels).map(([label, values]) => `${code(label)}: ${values}`);
    return [code(prefix + name), type, described.join("; "), meaning];
  });
  return markdownTable(["Name", "Type", "Labels", "Meaning"], rows);
}
