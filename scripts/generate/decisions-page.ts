import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DecisionRecord, decisionRecords } from "./decision-records.ts";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { markdownTable } from "./markdown-table.ts";

const folder = join(import.meta.dirname, "../../docs/decisions");

/** `docs/decisions/README.md`, from the records beside it. */
export const decisionsPage: GeneratedFile = {
  path: "docs/decisions/README.md",
  render: () => {
    const records = decisionRecords(readFiles());
    const rows = records.map((record) => [
      link(record),
      record.title,
      describeStatus(record, records),
      record.date,
      links(records.filter((later) => later.number > record.number && names(later, record.number))),
    ]);
    return [
      generatedNotice,
      "# Decisions",
      "",
      "Each record explains one design choice: the context, the decision, its drawbacks, and the",
      "figures behind it. Figures are those of the record's date: [figures.json](../figures.json) has the",
      "present ones. To add a record, take the next free number, and write its status and date below the",
      "title.",
      "",
      "A later record that changes an earlier one names it. If the earlier one no longer holds, wholly or",
      "in part, its status names the later record and the part, and the later one says `Supersedes`.",
      "",
      markdownTable(["Record", "Decides", "Status", "Date", "Later records about it"], rows),
      "",
    ].join("\n");
  },
};

function readFiles(): Readonly<Record<string, string>> {
  const files = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

function describeStatus(
  { supersededBy, partsSupersededBy }: DecisionRecord,
  records: readonly DecisionRecord[],
): string {
  if (supersededBy !== undefined) return `superseded by ${byNumber(records, [supersededBy])}`;
  if (partsSupersededBy.length === 0) return "accepted";
  return `accepted; in part superseded by ${byNumber(records, partsSupersededBy)}`;
}

function byNumber(records: readonly DecisionRecord[], numbers: readonly string[]): string {
  return links(records.filter(({ number }) => numbers.includes(number)));
}

function links(records: readonly DecisionRecord[]): string {
  return records.map(link).join(", ");
}

function link({ number, file }: DecisionRecord): string {
  return `[${number}](${file})`;
}

/** By a link, or in brackets as `(0032)`. */
function names({ text }: DecisionRecord, number: string): boolean {
  return new RegExp(
    `\\[${number}\\]|\\b${number}-[a-z]|\\(${number}\\)|[Dd]ecision ${number}`,
  ).test(text);
}
