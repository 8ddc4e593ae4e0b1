import {
  METRIC_PREFIX,
  type Metric,
  wrapperMetrics,
} from "../../packages/wrapper/src/health/metric-table.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** `docs/reference/metrics.md`, from the table that the wrapper itself renders. */
export const metricsPage: GeneratedFile = {
  path: "docs/reference/metrics.md",
  render: () => `${[generatedNotice, introduction, table()].join("\n\n")}\n`,
};

const introduction = `# Metrics

\`GET /metrics\` at HEALTH_ADDR gives these as Prometheus text, format 0.0.4, sealed or not. Counters
count from the wrapper's start. Labels have the values that are named here and no others, but for paths
of leases, which are bounded in number. No metric holds a value or a token; \`lease_expires_seconds\`
names paths of secrets, so let only your monitoring reach the port if these are confidential.`;

function table(): string {
  return markdownTable(["Name", "Type", "Labels", "Meaning"], wrapperMetrics.map(cells));
}

function cells({ name, type, labels = {}, meaning }: Metric): readonly string[] {
  const described = Object.entries(labels).map(([label, values]) => `${code(label)}: ${values}`);
  return [code(METRIC_PREFIX + name), type, described.join("; "), meaning];
}
