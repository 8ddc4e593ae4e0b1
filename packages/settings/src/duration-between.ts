import { goDurationNs, parseGoDuration, plainDurationMs } from "./go-duration.ts";
import { accepted, type Parser, refused } from "./parsed.ts";

/**
 * The longest wait that a JavaScript timer keeps. setTimeout takes the delay as a signed 32-bit
 * number and fires at once beyond it, so a longer duration would mean its opposite.
 */
const longestTimer = "596h31m23.647s";
/** The same, read: a dozen rows have this bound. */
const longestTimerMs = 2_147_483_647;

/** The bounds of a duration, as Go durations; both are included. */
export interface DurationBounds {
  readonly least: string;
  /** Default: 596h31m23.647s, the longest wait of a timer. */
  readonly most?: string;
}

/**
 * A parser for durations between two bounds; its value is in milliseconds.
 *
 * @throws RangeError when a bound is not a duration.
 */
export function parseDurationBetween(bounds: DurationBounds): Parser<number> {
  const { least, most = longestTimer } = bounds;
  const leastMs = boundMs(least);
  const mostMs = most === longestTimer ? longestTimerMs : boundMs(most);
  return (text) => {
    const plain = plainDurationMs(text);
    if (plain !== undefined && plain >= leastMs && plain <= mostMs) return accepted(plain);
    const ns = goDurationNs(text);
    if (ns === undefined) return parseGoDuration(text);
    if (ns < boundNs(least)) return refused(`a duration of at least ${least}`);
    return ns > boundNs(most)
      ? refused(`a duration of at most ${most}`)
      : accepted(Number(ns) / 1e6);
  };
}

function boundMs(text: string): number {
  return plainDurationMs(text) ?? Number(boundNs(text)) / 1e6;
}

function boundNs(text: string): bigint {
  const ns = goDurationNs(text);
  if (ns === undefined) throw new RangeError(`bound of a duration: not a duration: "${text}"`);
  return ns;
}
