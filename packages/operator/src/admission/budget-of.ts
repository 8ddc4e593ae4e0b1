import { parseGoDuration } from "@svc/settings";

/** The reserve for the response and the API server's own work. */
const SHARE = 0.8;

/** A webhook's timeout is 30 seconds at most. */
const MOST_MS = 30_000 * SHARE;

/**
 * The milliseconds that an answer may take: of the time that the API server says it waits
 * (`?timeout=10s`, apiserver/pkg/admission/plugin/webhook); `unsaidMs` if it does not say.
 */
export function budgetOf(url: URL, unsaidMs: number): number {
  const said = parseGoDuration(url.searchParams.get("timeout") ?? "");
  return said.ok && said.value > 0 ? Math.min(said.value * SHARE, MOST_MS) : unsaidMs;
}
