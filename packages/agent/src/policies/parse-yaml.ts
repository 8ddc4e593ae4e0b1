import { quoted } from "@svc/settings";

/** The value of a text, or its problems. */
export type ParsedYaml =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Pure: parses YAML, which JSON is part of. The parser takes the last value of a repeated key. So a
 * list that narrows a policy could be lost unseen, and such a text is refused.
 *
 * @param keys all keys that matter; letters and digits
 */
export function parseYaml(text: string, keys: readonly string[]): ParsedYaml {
  const parsed = tryParse(text);
  if ("reason" in parsed) {
    const place = `line ${firstBadLine(text)}`;
    return { ok: false, problems: [`${place}: wanted YAML or JSON, found ${parsed.reason}`] };
  }
  const problems = [...repeatedKeys(text, keys)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: parsed.value };
}

function tryParse(text: string): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: Bun.YAML.parse(text) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : typeof error };
  }
}

/**
 * The parser does not name the place. The text before this line is good, and with this line it is
 * not.
 */
function firstBadLine(text: string): number {
  const lines = text.split("\n");
  let [good, bad] = [0, lines.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if ("reason" in tryParse(lines.slice(0, middle).join("\n"))) bad = middle;
    else good = middle;
  }
  return bad;
}

const MARK = "__";

/**
 * Gives each key a number, so that none is lost, and looks for two of one name in the same place.
 */
function* repeatedKeys(text: string, keys: readonly string[]): Generator<string> {
  let count = 0;
  const key = new RegExp(`(["']?)\\b(${keys.join("|")})\\1(?=\\s*:)`, "g");
  const marked = tryParse(
    text.replace(key, (_, quote, name) => `${quote}${name}${MARK}${count++}${quote}`),
  );
  if ("reason" in marked)
    yield `the text: wanted keys that are plain words, found ${marked.reason}`;
  else yield* repeatedIn("", marked.value, new Set(keys));
}

function* repeatedIn(place: string, value: unknown, keys: ReadonlySet<string>): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* repeatedIn(`${place}[${index}]`, item, keys);
    return;
  }
  const seen = new Set<string>();
  for (const [marked, item] of Object.entries(value)) {
    const [name = ""] = marked.split(MARK);
    const at = place === "" ? name : `${place}.${name}`;
    if (seen.has(name)) yield `${at}: wanted once, found twice`;
    // Written with an escape, or behind a question mark, it has no number.
    else if (keys.has(marked))
      yield `${at}: wanted a key that is a plain word, found ${quoted(marked)}`;
    seen.add(name);
    yield* repeatedIn(at, item, keys);
  }
}
