import { accepted, type Parsed, refused } from "./parsed.ts";

const wanted = "a duration such as 30s, 5m or 1h30m";

const unitNs: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n], // micro sign
  ["\u03bcs", 1_000n], // Greek letter mu
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** One more than the largest number of nanoseconds that Go's time.Duration holds. */
const limitNs = 1n << 63n;

/**
 * Parses a duration as Go's time.ParseDuration does, but refuses signs.
 *
 * The value is in milliseconds, with a fraction if the text is finer than that.
 */
export function parseGoDuration(text: string): Parsed<number> {
  const ns = goDurationNs(text);
  if (ns !== undefined) return accepted(Number(ns) / 1e6);
  const hint = hintFor(text);
  return hint === undefined ? refused(wanted) : refused(wanted, { hint });
}

function hintFor(text: string): string | undefined {
  if (/^\d+$/.test(text)) return `a number needs a unit: ${text}s`;
  const [, count, unit] = /^(\d{1,5})([dw])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const hours = Number(count) * (unit === "d" ? 24 : 7 * 24);
  return `the longest unit is an hour: ${hours}h`;
}

/**
 * The exact number of nanoseconds in a Go duration without a sign; undefined when it is not one.
 *
 * One text differs from Go on purpose. Two terms of exactly 2^63 ns wrap to 0 there, and are an
 * overflow here: Go's src/time/format.go adds them as uint64 before it compares.
 */
export function goDurationNs(text: string): bigint | undefined {
  if (text === "0") return 0n;
  if (text === "") return undefined;
  let totalNs = 0n;
  for (let rest = text; rest !== ""; ) {
    const term = leadingTerm(rest);
    if (term === undefined) return undefined;
    totalNs += term.ns;
    if (totalNs >= limitNs) return undefined;
    rest = rest.slice(term.length);
  }
  return totalNs;
}

/**
 * The milliseconds of a duration that is one whole number of at most six digits with the unit ms,
 * s, m or h; undefined for any other text. It is exact, and costs little: a start reads a dozen.
 */
export function plainDurationMs(text: string): number | undefined {
  let digits = 0;
  while (digits < text.length && isDigit(text.charCodeAt(digits))) digits += 1;
  const unit = plainUnitMs.get(text.slice(digits));
  if (unit === undefined || digits === 0 || digits > 6) return undefined;
  return Number(text.slice(0, digits)) * unit;
}

const plainUnitMs: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

interface Term {
  readonly ns: bigint;
  readonly length: number;
}

function leadingTerm(text: string): Term | undefined {
  const match = /^(\d*)(?:\.(\d*))?([^.\d]+)/.exec(text);
  if (match === null) return undefined;
  const [whole, digits = "", fraction = "", unitName = ""] = match;
  const unit = unitNs.get(unitName);
  if (unit === undefined || digits + fraction === "") return undefined;
  const significant = digits.replace(/^0+/, "");
  // 2^63 has 19 digits; a longer number would only cost time before it is refused.
  if (significant.length > 19) return undefined;
  const ns = BigInt(significant) * unit;
  return ns > limitNs ? undefined : { ns: ns + fractionNs(fraction, unit), length: whole.length };
}

/** Go computes fractions in floating point; the same steps give the same nanosecond. */
function fractionNs(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (limitNs - 1n) / 10n || next > limitNs) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}
