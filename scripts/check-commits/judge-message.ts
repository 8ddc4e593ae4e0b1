const MOST_CHARACTERS = 72;
/** `area: imperative verb …`; a change of two areas names both. */
const form = /^[a-z][\w./-]*(?:, [a-z][\w./-]*)*: [a-z]/;
/** Words of a subject that gives its reason. */
const reason = /\b(?:because|so that|since|to avoid)\b|, as\b/;

/** The mistakes of a commit's message; none if it is as .github/CONTRIBUTING.md wants it. */
export function judgeMessage(message: string): readonly string[] {
  const [subject = "", blank = "", ...body] = message.trimEnd().split("\n");
  if (/^(?:Merge|Revert) /.test(subject)) return [];
  return [
    ...(form.test(subject) ? [] : ['want a subject of the form "area: imperative verb …"']),
    ...(subject.length > MOST_CHARACTERS
      ? [`the subject has ${subject.length} characters, want at most ${MOST_CHARACTERS}`]
      : []),
    ...(blank === "" ? [] : ["want an empty line behind the subject"]),
    ...(body.length > 0 || blank !== "" || reason.test(subject)
      ? []
      : ["want a body of one to three sentences with the reason"]),
  ];
}
