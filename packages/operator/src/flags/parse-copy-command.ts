import { accepted, type Parsed, parseWords, refused } from "@svc/settings";

/** Parses a JSON array with at least one word. */
export function parseCopyCommand(text: string): Parsed<readonly string[]> {
  const wanted =
    'a JSON array of words, such as ["/opt/svc/bin/svc-wrapper","--install","/target"]';
  if (!text.trimStart().startsWith("[")) return refused(wanted);
  const words = parseWords(text);
  if (!words.ok) return words;
  return words.value.length === 0 ? refused(wanted) : accepted(words.value);
}
