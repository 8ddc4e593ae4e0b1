/** JSON as the formatter leaves it: two spaces, and lists without objects in one line. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const oneLine = (list: string) =>
    list.replace(/\n\s*/g, " ").replace(/^\[ | \]$/g, (it) => it.trim());
  return `${text.replace(/\[[^[\]{}]+\]/g, oneLine)}\n`;
}
