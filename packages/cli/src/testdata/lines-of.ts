/** The objects of an output with one in each line, as commands print them for `-o json`. */
export function linesOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .trim()
    .split("\n")
    .map((line) => Object(JSON.parse(line)));
}
