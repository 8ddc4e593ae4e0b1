/** Why a text was refused. */
export interface Refused {
  readonly ok: false;
  /** The accepted texts, in words after "must be". */
  readonly wanted: string;
  /** The part of the text at fault; the whole text if this is absent. */
  readonly got?: string;
  /** The finding, in words, if quoting the text would not explain it. */
  readonly found?: string;
  /** What to write instead. */
  readonly hint?: string;
  /** Further faults of the same text, so that one run shows them all. */
  readonly more?: readonly Refused[];
}

/** The result of a parser: a typed value, or the reason for a refusal. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | Refused;

/** A pure function from a text to a value. It never throws. */
export type Parser<T> = (text: string) => Parsed<T>;

/** Wraps a value that passed every check. */
export function accepted<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** Builds a refusal; `wanted` completes the sentence "must be …". */
export function refused(
  wanted: string,
  details: Omit<Refused, "ok" | "wanted" | "more"> = {},
): Refused {
  return { ok: false, wanted, ...details };
}

/** Joins the refusals of the parts of one text; undefined when there are none. */
export function joinRefusals(refusals: readonly Refused[]): Refused | undefined {
  const [first, ...rest] = refusals;
  if (first === undefined) return undefined;
  return { ...first, more: [...(first.more ?? []), ...rest] };
}

/** Every fault of a refused text, the first one first. */
export function everyRefusal(refusal: Refused): readonly Refused[] {
  const { more = [], ...first } = refusal;
  return [first, ...more.flatMap(everyRefusal)];
}
