import { flagOf, type Variable, type VariableTable } from "./variable.ts";

/** The part of a `--help` that lists every flag with its variable, by group. */
export function flagSections(table: VariableTable): string {
  const rows = Object.values(table).filter((row) => flagOf(row) !== undefined);
  const groups = [...new Set(rows.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const lines = rows.filter((row) => row.group === group).map(rowText);
    return `${group}:\n${lines.join("\n")}`;
  });
  return [...sections, "Other:\n  -h, --help\n  -V, --version"].join("\n\n");
}

function rowText(row: Variable): string {
  const value = row.type === "boolean" ? "" : `=${row.type.toUpperCase().replaceAll(" ", "-")}`;
  const short = row.short === undefined ? "" : `-${row.short}, `;
  const variable = row.flagOnly ? "" : `  ${row.name}`;
  const standard = row.default === undefined ? "" : `  (default ${row.default})`;
  const [sentence = ""] = row.meaning.replaceAll("`", "").split(/(?<=\.)\s/, 1);
  return `  ${short}--${flagOf(row)}${value}${variable}${standard}\n      ${sentence}`;
}
