const WIDTH = 100;

/**
 * A value as JSON for people, laid out as the formatter does it: a list or an object stands in one
 * line if it fits.
 *
 * @param before the text that its first line has before it
 * @param after the number of characters behind its last line
 */
export function printTable(value: unknown, before = "", after = 0): string {
  const line = inOneLine(value);
  if (before.length + line.length + after <= WIDTH || !isMany(value)) return line;
  const outer = " ".repeat(before.length - before.trimStart().length);
  const inner = `${outer}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, part], index, all) => {
    const start = isList ? inner : `${inner}${JSON.stringify(name)}: `;
    return `${start}${printTable(part, start, index < all.length - 1 ? 1 : 0)}`;
  });
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${outer}${close}`;
}

function inOneLine(value: unknown): string {
  if (!isMany(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  const parts = Object.entries(value).map(
    ([name, part]) => `${JSON.stringify(name)}: ${inOneLine(part)}`,
  );
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function isMany(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
