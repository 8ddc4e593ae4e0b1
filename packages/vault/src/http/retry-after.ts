/**
 * The wait a Retry-After header asks for (RFC 9110 §10.2.3), in milliseconds.
 * Undefined when absent or malformed: the header is advice, not worth an error.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Only the letters of an HTTP date; Date.parse alone would take "-5" for a year.
  if (!/^[A-Z][a-z]+, /.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
