import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type GeneratedFile, generatedNotice } from "./generated-file.ts";
import { markdownTable } from "./markdown-table.ts";

const folder = join(import.meta.dirname, "../../docs/decisions");

interface DecisionRecord {
  readonly number: string;
  readonly file: string;
  readonly title: string;
  /** `accepted`, or `superseded by 0042`. */
  readonly status: string;
  /** The date of the status: 2026-11-21. */
  readonly date: string;
  readonly text: string;
}

/** `docs/decisions/README.md`, from the records beside it. */
export const decisionsPage: GeneratedFile = {
  path: "docs/decisions/README.md",
  render: () => {
    const records = readRecords();
    const rows = records.map((record) => [
      `[${record.number}](${record.file})`,
      record.title,
      record.status,
      record.date,
      records
        .filter((later) => later.number > record.number && names(later, record.number))
        .map((later) => `[${later.number}](${later.file})`)
        .join(", "),
    ]);
    return [
      generatedNotice,
      "# Decisions",
      "",
      "Each record explains one design choice: the context, the decision, its drawbacks, and the",
      "figures behind it. A later record that changes an earlier one names it. To add a record, take the",
      "next free number, and write its status and date below the title.",
      "",
      markdownTable(["Record", "Decides", "Status", "Date", "Later records about it"], rows),
      "",
    ].join("\n");
  },
};

function readRecords(): readonly DecisionRecord[] {
  const files = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
  return files.toSorted().map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const [, number = "", title = ""] = /^# (\d{4}) (.+)\n/.exec(text) ?? [];
    if (!file.startsWith(`${number}-`)) {
      throw new RangeError(`${file}: the first line has to be "# NUMBER TITLE"`);
    }
    const [, status, date] = statusLine.exec(text) ?? [];
    if (status === undefined || date === undefined) {
      throw new RangeError(`${file}: the third line has to be "Status: accepted on YYYY-MM-DD."`);
    }
    return { number, file, title, status, date, text };
  });
}

const statusLine = /^# .+\n\nStatus: (accepted|superseded by \d{4}) on (\d{4}-\d{2}-\d{2})\.\n/;

/** By a link, or in brackets as `(0032)`. */
function names({ text }: DecisionRecord, number: string): boolean {
  return new RegExp(
    `\\[${number}\\]|\\b${number}-[a-z]|\\(${number}\\)|[Dd]ecision ${number}`,
  ).test(text);
}
