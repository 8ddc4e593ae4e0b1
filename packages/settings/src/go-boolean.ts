import { accepted, type Parsed, refused } from "./parsed.ts";

const truths: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
const untruths: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];

/** Parses exactly the words that Go's strconv.ParseBool accepts, and no other. */
export function parseGoBoolean(text: string): Parsed<boolean> {
  if (truths.includes(text)) return accepted(true);
  if (untruths.includes(text)) return accepted(false);
  return refused("true or false");
}
