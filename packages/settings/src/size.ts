import { accepted, type Parsed, refused } from "./parsed.ts";

const unitBytes: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
]);

/**
 * Parses a size as Kubernetes writes it: a whole number of bytes, or one with the unit k, M, G, T
 * (powers of 1000) or Ki, Mi, Gi, Ti (powers of 1024). The value is in bytes.
 */
export function parseSize(text: string): Parsed<number> {
  const match = /^(\d+)([A-Za-z]*)$/.exec(text);
  const unit = unitBytes.get(match?.[2] ?? "");
  if (match === null || unit === undefined) return refused("a size such as 4096, 64Mi or 1Gi");
  const bytes = Number(match[1]) * unit;
  return Number.isSafeInteger(bytes) ? accepted(bytes) : refused("a size below 2^53 bytes");
}
