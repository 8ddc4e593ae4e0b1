/** A Markdown table. Bars and line breaks in cells are made harmless. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [header, header.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.map(cellText).join(" | ")} |`,
  );
  return lines.join("\n");
}

function cellText(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** A text as code inside a line. */
export function code(text: string): string {
  return `\`${text}\``;
}
