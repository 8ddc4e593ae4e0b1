import { accepted, type Parsed, refused } from "@svc/settings";

const MOST = 65_535;

/**
 * Parses exactly `true` or `false`: an annotation is a text, and YAML knows too many other words.
 */
export function parseTrueOrFalse(text: string): Parsed<boolean> {
  if (text === "true" || text === "false") return accepted(text === "true");
  const meant = /^(?:1|t|true|y|yes|on|enabled?)$/i.test(text) ? "true" : undefined;
  const denied = /^(?:0|f|false|n|no|off|disabled?)$/i.test(text) ? "false" : undefined;
  const hint = meant ?? denied;
  return refused('"true" or "false"', hint === undefined ? {} : { hint: `write "${hint}"` });
}

/** Parses the number of a port, from 1 to 65535. */
export function parsePort(text: string): Parsed<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= MOST ? accepted(port) : refused("a port from 1 to 65535");
}

/** Parses a number of pods, or a percentage of them, as maxUnavailable is written. */
export function parseMaxUnavailable(text: string): Parsed<string> {
  const [, digits = "", percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  const isShare = percent !== "%" || Number(digits) <= 100;
  return digits !== "" && isShare
    ? accepted(text)
    : refused("a number of pods such as 1, or a percentage such as 25%");
}
