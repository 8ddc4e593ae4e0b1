import { accepted, type Parsed, refused } from "./parsed.ts";
import { isPlain } from "./plain-text.ts";

/** Parses an absolute path of a file or directory. Whether it exists is not looked at. */
export function parseFilePath(text: string): Parsed<string> {
  if (text.startsWith("/") && isPlain(text)) return accepted(text);
  return refused("an absolute path of a file, such as /etc/svc/ca.pem");
}
