import { accepted, type Parsed, refused } from "@svc/settings";

/** Parses the audience of service account tokens: one word of visible ASCII, most often a URL. */
export function parseAudience(text: string): Parsed<string> {
  return /^[!-~]{1,255}$/.test(text)
    ? accepted(text)
    : refused("an audience: one word of at most 255 visible ASCII characters");
}
