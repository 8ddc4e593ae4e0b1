import { annotationTable } from "../../packages/operator/src/annotations/annotation-table.ts";
import { configFields } from "../../packages/operator/src/inject/config-fields.ts";
import { injectedVariables } from "../../packages/operator/src/inject/injected-variables.ts";
import type { Variable } from "../../packages/settings/src/index.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { code, markdownTable } from "./markdown-table.ts";

/** The reference of every annotation. */
export const annotationsPage: GeneratedFile = {
  path: "docs/reference/annotations.md",
  render: renderAnnotations,
};

const introduction = `# Annotations

This page is generated from the table that the operator itself reads. To change it, change the table and run
\`bun scripts/generate.ts\`.

The names stand behind the prefix, \`svc.internal/\` unless the operator is told otherwise: \`svc.internal/inject: "true"\`.

- An annotation goes before the SvcConfig, that before the default. What a container sets in its own \`env\` goes before
  all of them; what \`envFrom\` brings does not.
- An empty annotation counts as not set. A malformed one, and one that is not on this page, is never ignored: the pod is
  refused, with every problem at once.
- Booleans are \`"true"\` and \`"false"\`, in quotes, for YAML takes them for something else without.`;

function renderAnnotations(): string {
  const rows = Object.entries<Variable>(annotationTable);
  const groups = [...new Set(rows.map(([, { group }]) => group))];
  const parts = [
    generatedNotice,
    introduction,
    ...groups.map((group) =>
      section(
        group,
        rows.filter(([, row]) => row.group === group),
      ),
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

type NamedRow = readonly [key: string, row: Variable];

function section(group: string, rows: readonly NamedRow[]): string {
  const header = ["Annotation", "Required", "Default", "Type", "Variable", "SvcConfig", "Meaning"];
  return `## ${group}\n\n${markdownTable(header, rows.map(cells))}`;
}

function cells([key, row]: NamedRow): readonly string[] {
  const { requiredness } = row;
  const variable = injectedVariables.find(({ annotation }) => annotation === key)?.name;
  const field = configFields.find(({ annotation }) => annotation === key)?.field;
  return [
    [row.name, ...(row.aliases ?? [])].map(code).join(", "),
    typeof requiredness === "object" ? requiredness.conditional : "No",
    row.default === undefined ? "none" : code(row.default),
    row.type,
    variable === undefined ? "" : code(variable),
    field === undefined ? "" : code(field),
    row.meaning,
  ];
}
