import { goDurationNs, parseGoDuration } from "./go-duration.ts";
import { accepted, type Parser, refused } from "./parsed.ts";

/**
 * The longest wait that a JavaScript timer keeps. setTimeout takes the delay as a signed 32-bit
 * number and fires at once beyond it, so a longer duration would mean its opposite.
 */
const longestTimer = "596h31m23.647s";
/** The same, read: a dozen rows have this bound. */
const longestTimerNs = 2_147_483_647_000_000n;

/** The bounds of a duration, as Go durations; both are included. */
export interface DurationBounds {
  readonly least: string;
  /** Default: 596h31m23.647s, the longest wait of a timer. */
  readonly most?: string;
}

/**
 * A parser for durations between two bounds; its value is in milliseconds.
 *
 * @throws RangeError when a bound is no duration.
 */
export function parseDurationBetween(bounds: DurationBounds): Parser<number> {
  const { least, most = longestTimer } = bounds;
  const leastNs = boundNs(least);
  const mostNs = most === longestTimer ? longestTimerNs : boundNs(most);
  return (text) => {
    const ns = goDurationNs(text);
    if (ns === undefined) return parseGoDuration(text);
    if (ns < leastNs) return refused(`a duration of at least ${least}`);
    return ns > mostNs ? refused(`a duration of at most ${most}`) : accepted(Number(ns) / 1e6);
  };
}

function boundNs(text: string): bigint {
  const ns = goDurationNs(text);
  if (ns === undefined) throw new RangeError(`bound of a duration: not a duration: "${text}"`);
  return ns;
}
