import { annotationTable } from "../../packages/operator/src/index.ts";
import { configFields, injectedVariables } from "../../packages/operator/src/reference.ts";
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

The names follow the prefix, \`svc.internal/\` by default: \`svc.internal/inject: "true"\`.

- An annotation takes precedence over the SvcConfig, and the SvcConfig over the default. A variable in the container's
  own \`env\` takes precedence over all of them. A variable of \`envFrom\` does not.
- An empty annotation counts as not set. The operator never ignores a malformed annotation, or one that is not on this
  page: it rejects the pod, with every problem at once.
- Booleans are \`"true"\` and \`"false"\`. Write them in quotes, because without quotes YAML reads them as another type.`;

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
