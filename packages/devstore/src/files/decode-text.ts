import type { SecretsProblem } from "./parsed-file.ts";

/** A file's text, without a byte order mark, and each line that is not a text. */
export interface DecodedText {
  /** With U+FFFD in the lines that have a problem, so that the others can be looked at. */
  readonly text: string;
  readonly problems: readonly SecretsProblem[];
}

const LINE_FEED = 0x0a;

/** Decodes UTF-8 (RFC 3629) and finds every line that is something else. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (isUtf16(bytes)) {
    return { text: "", problems: [{ line: 1, message: "the file: is UTF-16: save it as UTF-8" }] };
  }
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes)) return { text, problems: [] };
  const problems = [...linesOf(bytes)].flatMap((line, index) =>
    isUtf8(line) ? [] : [{ line: index + 1, message: "the line: is not UTF-8" }],
  );
  return { text, problems };
}

/** By its byte order mark: PowerShell's `>` writes it. UTF-8 has neither of these bytes. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** No character of several bytes has a line feed in it. */
function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}
