import type { Variable } from "@svc/settings";
import { wrapperVariables } from "./variables.ts";

const introduction = `usage: svc-wrapper [FLAGS] -- PROGRAM [ARGUMENT...]
       svc-wrapper [FLAGS]          the program is in SVC_ORIGINAL_CMD

Fetches secrets from a vault, starts the program with them, and stays as its
parent: it forwards signals, reaps orphans and answers health checks.

  svc-wrapper --vault-addr=https://vault.example:8200 --vault-auth-role=app \\
    --secrets=DB_PASSWORD,API_KEY=secret/data/api#key -- ./server --port 80

Write --flag=VALUE or --flag VALUE; a boolean flag may stand alone. A flag wins
over its variable. An empty variable counts as not set.`;

/** The text of `--help`: every flag with its variable, by group. */
export function helpText(): string {
  const rows: readonly Variable[] = Object.values(wrapperVariables);
  const groups = [...new Set(rows.map((row) => row.group))];
  const sections = groups.map((group) => {
    const lines = rows.filter((row) => row.group === group && row.flag !== undefined).map(rowText);
    return `${group}:\n${lines.join("\n")}`;
  });
  const others = "Other:\n  -h, --help\n  -V, --version";
  return `${[introduction, ...sections, others].join("\n\n")}\n`;
}

function rowText(row: Variable): string {
  const value = row.type === "boolean" ? "" : `=${row.type.toUpperCase().replaceAll(" ", "-")}`;
  const variable = row.flagOnly ? "" : `  ${row.name}`;
  const standard = row.default === undefined ? "" : `  (default ${row.default})`;
  const [sentence = ""] = row.meaning.replaceAll("`", "").split(/(?<=\.)\s/, 1);
  return `  --${row.flag}${value}${variable}${standard}\n      ${sentence}`;
}
