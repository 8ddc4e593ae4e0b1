import { accepted, type Parsed, parseGoBoolean, refused } from "@svc/settings";

/** Parses ENFORCE_MODE: a boolean, or the word for it. True: attempts are to be stopped. */
export function parseEnforceMode(text: string): Parsed<boolean> {
  if (text === "enforce") return accepted(true);
  if (text === "detect") return accepted(false);
  return parseGoBoolean(text).ok ? parseGoBoolean(text) : refused("true, false, enforce or detect");
}
