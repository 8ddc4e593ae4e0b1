/** A whole number with a leading zero, in the place of a value. */
const octal = /(^|[\s:,[{-])0([0-7]+)(?=[\s,}\]]|$)/gm;

/**
 * Reads YAML as kubectl does, which goes by version 1.1: `defaultMode: 0400` is 256 there, and 400
 * by version 1.2. So it is read twice, with such numbers as they are written and as version 1.2
 * writes octal ones; a text keeps its noughts.
 *
 * @throws SyntaxError
 */
export function parseYaml(text: string): unknown {
  const plain: unknown = Bun.YAML.parse(text);
  const marked = text.replace(octal, "$10o$2");
  if (marked === text) return plain;
  try {
    return withNumbers(plain, Bun.YAML.parse(marked));
  } catch {
    // A number stood in a place that takes none, as in the name of an anchor.
    return plain;
  }
}

/** The first value with the numbers of the second, which is of the same form. */
function withNumbers(value: unknown, marked: unknown): unknown {
  if (typeof value === "number") return typeof marked === "number" ? marked : value;
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(marked) ? marked : [];
    return value.map((member, index) => withNumbers(member, others[index]));
  }
  if (typeof value !== "object" || value === null) return value;
  const others = Object.values(Object(marked));
  return Object.fromEntries(
    Object.entries(value).map(([key, member], index) => [key, withNumbers(member, others[index])]),
  );
}
