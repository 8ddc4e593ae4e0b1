import { generatedNotice } from "../generated-file.ts";
import { code, markdownTable } from "../markdown-table.ts";
import type { ChartValue, ValueGroup } from "./chart-value.ts";

/** A chart's README: an introduction, and a table of its values. */
export function chartReadme(introduction: string, groups: readonly ValueGroup[]): string {
  const tables = groups.map(({ title, values }) => `### ${title}\n\n${valuesTable(values)}`);
  return `${[generatedNotice, introduction, ...tables].join("\n\n")}\n`;
}

function valuesTable(values: readonly ChartValue[]): string {
  const header = ["Value", "Required", "Default", "Sets", "Meaning"];
  return markdownTable(header, values.map(cells));
}

function cells({ path, required, default: content, sets, meaning }: ChartValue) {
  return [
    code(path),
    required === true ? "Yes" : "No",
    content === "" ? "none" : code(JSON.stringify(content)),
    sets ?? "",
    meaning,
  ];
}
