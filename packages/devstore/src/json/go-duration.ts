const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Milliseconds of a duration as OpenBao's fields take it: seconds as a number or as digits, or Go
 * duration text with `d` for days. Undefined when the text is neither
 * (go-secure-stdlib/parseutil, ParseDurationSecond).
 */
export function parseDurationMs(value: number | string): number | undefined {
  if (typeof value === "number")
    return Number.isFinite(value) ? Math.trunc(value) * 1000 : undefined;
  const text = value.trim();
  if (text === "") return 0;
  if (/^[+-]?\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[+-]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h|d))+$/.test(text)) return undefined;
  const sign = text.startsWith("-") ? -1 : 1;
  return sign * sumOfParts(text);
}

function sumOfParts(text: string): number {
  let totalMs = 0;
  for (const [, number = "", unit = ""] of text.matchAll(/([\d.]+)([a-zµ]+)/g)) {
    totalMs += Number(number) * (UNIT_MS[unit] ?? 0);
  }
  return totalMs;
}

/** Go's `Duration.String` for whole seconds: `1h0m0s`, `1m30s`, `0s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}

/** The same without trailing zero parts, as OpenBao writes it in warnings: `1h`, `1m30s`. */
export function shortDuration(ms: number): string {
  return formatDuration(ms)
    .replace(/(?<=[hm])0s$/, "")
    .replace(/(?<=h)0m$/, "");
}
