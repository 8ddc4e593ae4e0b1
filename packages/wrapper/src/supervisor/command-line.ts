const DASHES = "--";

/** The command line, cut at `--`. */
export interface CommandLine {
  /** Flags of the wrapper's. */
  readonly flags: readonly string[];
  /** The program and its arguments, to the byte; empty if there is no `--`. */
  readonly programWords: readonly Uint8Array[];
}

/** Cuts the words at the first `--`. */
export function cutCommandLine(words: readonly Uint8Array[]): CommandLine {
  // A byte order mark is a part of its word, which else could become `--`.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const texts = words.map((word) => decoder.decode(word));
  const dashes = texts.indexOf(DASHES);
  if (dashes < 0) return { flags: texts, programWords: [] };
  return { flags: texts.slice(0, dashes), programWords: words.slice(dashes + 1) };
}
