/** The output of testdata/shows-delivery.c. */
export interface ShownDelivery {
  /** The variables as the program finds them; of several the first. */
  readonly variables: ReadonlyMap<string, string>;
  /** The entries of /proc/PID/environ. */
  readonly block: readonly string[];
  /** The files of its descriptors above 2. */
  readonly descriptors: readonly string[];
  readonly pageBytes: number;
}

/** Reads its output. Without output it throws an error with the wrapper's log. */
export function shownDelivery(stdout: Buffer, stderr: string): ShownDelivery {
  const facts = stdout
    .toString()
    .split("\n")
    .map((line) => /^(\w+) (.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ kind: match[1], text: match[2] ?? "" }]));
  const of = (kind: string) => facts.filter((fact) => fact.kind === kind).map(({ text }) => text);
  if (of("page").length === 0) throw new TypeError(`the program did not show itself: ${stderr}`);
  const entries = of("env").map((entry): [string, string] => {
    const equals = entry.indexOf("=");
    return [entry.slice(0, equals), entry.slice(equals + 1)];
  });
  return {
    variables: new Map(entries.reverse()),
    block: of("block"),
    descriptors: of("fd").map((text) => text.replace(/^\d+ /, "")),
    pageBytes: Number(of("page")[0]),
  };
}
