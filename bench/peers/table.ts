import { markdownTable } from "../../scripts/generate/markdown-table.ts";
import type { Found } from "./search-tree.ts";

/**
 * The results of a peer: the copies that each of its runs left, or the reason why there are none.
 */
export interface Row {
  readonly name: string;
  readonly version: string;
  readonly use: string;
  readonly outcome:
    | { readonly kind: "measured"; readonly runs: readonly Found[] }
    | { readonly kind: "failed"; readonly reason: string };
}

const MIB = 1 << 20;

const columns: Readonly<Record<string, (found: Found) => number>> = {
  "processes that stay": ({ processes }) => processes,
  "value in the tool's memory": ({ tool }) => tool.value,
  "token in the tool's memory": ({ tool }) => tool.token,
  "value in the application's environ": ({ environ }) => environ.value,
  "value in the application's memory": ({ application }) => application.value,
  "token in the application's memory": ({ application }) => application.token,
  "value in files": ({ files }) => files.value,
  "token in files": ({ files }) => files.token,
  "either in command lines": ({ commandLines }) => commandLines.value + commandLines.token,
  "MiB of memory searched": ({ tool, application }) => mebibytes(tool.bytes + application.bytes),
};

/** The table of those that ran, and a list of how each was used or why it did not run. */
export function renderRows(rows: readonly Row[]): string {
  const measured = rows.flatMap(({ name, version, outcome }) =>
    outcome.kind === "measured"
      ? [[`${name} ${version}`, ...Object.values(columns).map((of) => range(outcome.runs.map(of)))]]
      : [],
  );
  const notes = rows.map(({ name, use, outcome }) =>
    outcome.kind === "measured"
      ? `- ${name}: ${use}.`
      : `- ${name}: not measured: ${outcome.reason}.`,
  );
  const header = ["tool and version", ...Object.keys(columns)];
  return [markdownTable(header, measured), notes.join("\n")].join("\n\n");
}

/** `3`, or `3–5` if the runs differ. */
export function range(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? String(least) : `${least}–${most}`;
}

function mebibytes(bytes: number): number {
  return Math.round((bytes / MIB) * 10) / 10;
}
