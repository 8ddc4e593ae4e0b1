/** A decision record, with the state that its first paragraph gives. */
export interface DecisionRecord {
  readonly number: string;
  readonly file: string;
  readonly title: string;
  /** The date of `accepted`, or of `superseded`: 2026-11-21. */
  readonly date: string;
  /** The record that replaces the whole of this one. */
  readonly supersededBy?: string;
  /** The records that replace a part of this one each. */
  readonly partsSupersededBy: readonly string[];
  /** The records that this one replaces, wholly or in part. */
  readonly supersedes: readonly string[];
  readonly text: string;
}

const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const LINK = String.raw`\[\d{4}\]\(\d{4}-[\w-]+\.md\)`;
/** The known forms of a status, with its lines joined. */
const status = new RegExp(
  [
    String.raw`^Status: (?:accepted|superseded by (?<whole>${LINK})) on (?<date>${DATE})\.`,
    String.raw`(?<parts>(?: Superseded in part by ${LINK} on ${DATE}: [^.]+\.)*)`,
    String.raw`(?: Supersedes (?:a part of )?(?<older>${LINK}(?:(?:,| and) ${LINK})*)\.)*$`,
  ].join(""),
);
const forms = [
  "Status: accepted on YYYY-MM-DD.",
  "Status: superseded by [NNNN](NNNN-name.md) on YYYY-MM-DD.",
  "Superseded in part by [NNNN](NNNN-name.md) on YYYY-MM-DD: the part.",
  "Supersedes [NNNN](NNNN-name.md).",
  "Supersedes a part of [NNNN](NNNN-name.md), [NNNN](NNNN-name.md).",
];

/**
 * Reads the records of `docs/decisions`, in the order of their numbers.
 *
 * @param files their texts by name
 * @throws RangeError with every mistake of their titles and states
 */
export function decisionRecords(
  files: Readonly<Record<string, string>>,
): readonly DecisionRecord[] {
  const names = Object.keys(files).toSorted();
  const read = names.map((file) => readRecord(file, files[file] ?? ""));
  const problems = read.filter((record) => typeof record === "string");
  const records = read.filter((record) => typeof record !== "string");
  const all = problems.length > 0 ? problems : wrongReferences(records);
  if (all.length > 0) throw new RangeError(all.join("\n"));
  return records;
}

function readRecord(file: string, text: string): DecisionRecord | string {
  const [, number = "", title = ""] = /^# (\d{4}) (.+)\n/.exec(text) ?? [];
  if (!file.startsWith(`${number}-`)) return `${file}:1: want "# NUMBER TITLE"`;
  const paragraph = /^.+\n\n((?:.+\n)+)/.exec(text)?.[1]?.trim().replace(/\n/g, " ") ?? "";
  const found = status.exec(paragraph)?.groups;
  if (found?.["date"] === undefined) {
    return `${file}:3: got "${paragraph}", want a status of these forms: ${forms.join(" ")}`;
  }
  const whole = numbersOf(found["whole"])[0];
  return {
    number,
    file,
    title,
    date: found["date"],
    ...(whole !== undefined && { supersededBy: whole }),
    partsSupersededBy: numbersOf(found["parts"]),
    supersedes: numbersOf(/(?<= )Supersedes .*$/.exec(paragraph)?.[0]),
    text,
  };
}

function numbersOf(links = ""): readonly string[] {
  return [...links.matchAll(/\[(\d{4})\]/g)].map(([, number = ""]) => number);
}

/** Two records that replace one another name each other, and the later one replaces. */
function wrongReferences(records: readonly DecisionRecord[]): readonly string[] {
  const byNumber = new Map(records.map((record) => [record.number, record]));
  return records.flatMap((record) => {
    const { number, file, supersedes } = record;
    const later = newerThan(record).flatMap((name) =>
      problemOf(file, `superseded by ${name}`, byNumber.get(name), (other) =>
        other.supersedes.includes(number) && name > number
          ? undefined
          : `${other.file} has no "Supersedes" for ${number}`,
      ),
    );
    const earlier = supersedes.flatMap((name) =>
      problemOf(file, `supersedes ${name}`, byNumber.get(name), (other) =>
        newerThan(other).includes(number)
          ? undefined
          : `${other.file} has no "superseded by" for ${number}`,
      ),
    );
    return [...later, ...earlier];
  });
}

function newerThan({ supersededBy, partsSupersededBy }: DecisionRecord): readonly string[] {
  return supersededBy === undefined ? partsSupersededBy : [supersededBy, ...partsSupersededBy];
}

function problemOf(
  file: string,
  claim: string,
  other: DecisionRecord | undefined,
  judge: (other: DecisionRecord) => string | undefined,
): readonly string[] {
  const problem = other === undefined ? "there is no such record" : judge(other);
  return problem === undefined ? [] : [`${file}:3: ${claim}: ${problem}`];
}
