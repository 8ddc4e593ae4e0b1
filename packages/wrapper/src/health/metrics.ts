import { METRIC_PREFIX, type Metric, type Sample, wrapperMetrics } from "./metric-table.ts";
import type { WrapperFacts } from "./wrapper-facts.ts";

/** Pure: the facts as Prometheus text, format 0.0.4. A metric without samples is left out. */
export function renderMetrics(facts: WrapperFacts): string {
  return wrapperMetrics.map((metric) => renderMetric(metric, metric.samples(facts))).join("");
}

function renderMetric({ name, type, meaning }: Metric, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const full = METRIC_PREFIX + name;
  const lines = [
    `# HELP ${full} ${meaning.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${full} ${type}`,
    ...samples.map(({ labels, value }) => `${full}${renderLabels(labels)} ${value}`),
  ];
  return `${lines.join("\n")}\n`;
}

function renderLabels(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** https://prometheus.io/docs/instrumenting/exposition_formats: backslash, quote and line feed. */
function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
