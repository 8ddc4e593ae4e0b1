import { accepted, goDurationNs, type Parsed, parseDurationBetween, refused } from "@svc/settings";

/** 32 days is the longest that a server allows unless it is tuned: more would be cut in silence. */
const parseBounded = parseDurationBetween({ least: "1m", most: "768h" });
const SECOND_NS = 1_000_000_000n;

/** Parses the life of a role's tokens, a Go duration from 1m to 768h; the value is in seconds. */
export function parseRoleTtl(text: string): Parsed<number> {
  const bounded = parseBounded(text);
  if (!bounded.ok) return bounded;
  const ns = goDurationNs(text) ?? 0n;
  return ns % SECOND_NS === 0n
    ? accepted(Number(ns / SECOND_NS))
    : refused("a duration of whole seconds");
}
